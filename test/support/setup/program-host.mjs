// Runs servers, agent processes and commands of the program, one after the other, in one process that has already loaded it: a server's start takes a fifth
// of the processor's time, a command a tenth. Ends with the test run. `SIGTERM` ends the current server, and `SIGKILL` the process, as for
// a server with a process of its own.
// Arguments: `plain` for servers without a fast lane, otherwise `fast`; the Unix socket where tests ask; the file with the output of
// servers; the pid of the run. With the first argument alone, it runs one server from its own environment.
// Each connection is one server, agent process or command. The test sends a line, {env, cwd, command, isLasting} (`command` is null for a
// server). The answers are {"busy":true}, or {pid, from}, where `from` is the size of the file with the output so far, and at the end
// {code, stdout, stderr}; what lasts writes its output to that file, and ends if the test closes its connection.
import 'reflect-metadata';
import { rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { runCli } from '../../../build/cli/program.js';
import { serve } from '../../../build/cli/serve.js';
import { TERMINAL } from '../../../build/cli/terminal.js';
import { loadConfigWith } from '../../../build/config/env.js';

const [door, socketFile, log, runPid] = process.argv.slice(2);
let isBusy = false;

if (socketFile === undefined) process.exit((await serveOnce()).code);
createServer(take).listen(socketFile);
setInterval(endWithRun, 500).unref();

function take(connection) {
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
  connection.once('close', free);
  createInterface({ input: connection }).once('line', async (line) => {
    const { env, cwd, command, isLasting } = JSON.parse(line);
    const stop = () => isLasting && process.kill(process.pid, 'SIGTERM');
    connection.off('close', free).once('close', stop);
    answer({ pid: process.pid, from: statSync(log).size });
    const result = await inPlace(env, cwd, () =>
      command === null ? serveOnce() : isLasting ? last(command) : runCommand(command),
    );
    connection.off('close', stop);
    free();
    answer(result);
    connection.end();
  });
}

/** As if the process had been started there. */
async function inPlace(env, cwd, work) {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  try {
    return await work();
  } finally {
    for (const event of ['SIGTERM', 'SIGINT', 'uncaughtException']) process.removeAllListeners(event);
    process.chdir('/');
  }
}

async function serveOnce() {
  if (door !== 'plain') return { code: await runCli(['serve']) };
  await serve(loadConfigWith({}), TERMINAL, { isJson: false, isWithoutFastLane: true });
  return { code: 0 };
}

async function last(args) {
  return { code: await runCli(args) };
}

/** @returns the exit code and output that a process of its own would have */
async function runCommand(args) {
  let stdout = '';
  let stderr = '';
  const terminal = {
    ...TERMINAL,
    print(line) {
      stdout += `${line}\n`;
    },
    printError(line) {
      stderr += `${line}\n`;
    },
  };
  const code = await runCli(args, terminal);
  return { code, stdout, stderr };
}

function endWithRun() {
  try {
    process.kill(Number(runPid), 0);
  } catch {
    for (const file of [socketFile, log]) rmSync(file, { force: true });
    process.exit();
  }
}
