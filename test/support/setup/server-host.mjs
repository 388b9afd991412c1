// Runs servers one after the other, each as `waystation serve` runs it: in a process that has already loaded the program, a start takes a
// fifth of the processor's time. Ends with the test run. `SIGTERM` ends the current server, `SIGKILL` the process, as for a server of its own.
// Arguments: `plain` for servers without a fast lane, otherwise `fast`; the Unix socket where tests ask for a server; the file with all
// output; the pid of the run. With the first alone, it runs one server from its own environment. A connection is one server: the test sends one line, {env, cwd}; the answer is {"busy":true}, or {pid, from} with the size of
// the file with the output so far, and when the server has ended {"code":…}. A closed connection ends its server.
import 'reflect-metadata';
import { rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { runCli } from '../../../build/cli/program.js';
import { serve } from '../../../build/cli/serve.js';
import { TERMINAL } from '../../../build/cli/terminal.js';
import { loadConfigWith } from '../../../build/config/env.js';

const [door, socketFile, log, runPid] = process.argv.slice(2);
const serveOnce =
  door === 'plain'
    ? () => serve(loadConfigWith({}), TERMINAL, { isJson: false, isWithoutFastLane: true }).then(() => 0)
    : () => runCli(['serve']);
if (socketFile === undefined) process.exit(await serveOnce());
let isBusy = false;

createServer((connection) => {
  const answer = (message) => connection.writable && connection.write(`${JSON.stringify(message)}\n`);
  connection.on('error', () => undefined);
  if (isBusy) {
    answer({ busy: true });
    connection.end();
    return;
  }
  isBusy = true;
  const free = () => {
    isBusy = false;
  };
  const stop = () => process.kill(process.pid, 'SIGTERM');
  connection.once('close', free);
  createInterface({ input: connection }).once('line', (line) => {
    connection.off('close', free).once('close', stop);
    answer({ pid: process.pid, from: statSync(log).size });
    void run(JSON.parse(line)).then((code) => {
      connection.off('close', stop);
      free();
      answer({ code });
      connection.end();
    });
  });
}).listen(socketFile);

/** @returns the exit code that a process of its own would have */
async function run({ env, cwd }) {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  try {
    return await serveOnce();
  } finally {
    for (const event of ['SIGTERM', 'SIGINT', 'uncaughtException']) process.removeAllListeners(event);
    process.chdir('/');
  }
}

setInterval(() => {
  try {
    process.kill(Number(runPid), 0);
  } catch {
    for (const file of [socketFile, log]) rmSync(file, { force: true });
    process.exit();
  }
}, 500).unref();
