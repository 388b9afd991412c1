// As in run-process.ts.
import 'reflect-metadata';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runCli } from './program.js';
import type { Terminal } from './terminal.js';

const SILENT: Terminal = { print: () => undefined, complain: () => undefined };
const AGENT = 'rehearsal';
const SETTINGS = { WAYSTATION_LOG_LEVEL: 'silent', WAYSTATION_PORT: '0', WAYSTATION_AGENT_PORT: '0' };
const DEFINITION = {
  file: 'agents.json',
  content: { agents: { [AGENT]: { command: ['node'] } }, triggers: [{ type: 'webhook', endpoint: '/hook' }] },
};
/** How long all of it may take, on machines that are slow and busy. */
const MOST_MS = 120_000;

/** Runs this script again with `args`, in a folder of its own, and without any of the settings around it. Answers its exit code. */
export function runApart(args: readonly string[]): number {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'waystation-rehearsal-'));
  const env = { ...SETTINGS, WAYSTATION_HOME: folder };
  try {
    const script = [process.argv[1] ?? '', ...args];
    return (
      spawnSync(process.execPath, script, {
        cwd: folder,
        env,
        stdio: 'inherit',
        timeout: MOST_MS,
        killSignal: 'SIGKILL',
      }).status ?? 1
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Starts what is started most, a server, an agent process and some commands, and ends it again. The server listens on loopback.
 * @throws {Error} when the server does not start
 */
export async function rehearse(): Promise<void> {
  await runCli(['--help'], SILENT);
  const server = await started(['serve', '--json']);
  const { url, secret_file: secretFile } = JSON.parse(server.line) as { url: string; secret_file: string };
  await useServer(url, readFileSync(secretFile, 'utf8').trim());
  await runCli(['threads'], SILENT);
  writeFileSync(DEFINITION.file, JSON.stringify(DEFINITION.content));
  const agent = await started(['agent', DEFINITION.file]);
  process.emit('SIGTERM');
  await Promise.all([server.ended, agent.ended]);
}

/** A report, and what agents and people ask of it. */
async function useServer(url: string, secret: string): Promise<void> {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const run = { agent_id: AGENT, trace_id: 'run-1' };
  const events = [
    { ...run, type: 'thread_started', data: { thread_id: 'thread-1' } },
    {
      ...run,
      type: 'checkpoint',
      data: { thread_id: 'thread-1', step_index: 1, history: [{ role: 'user', content: 'Hello' }] },
    },
  ];
  const report = { method: 'POST', headers, body: JSON.stringify({ events }) };
  await answered(fetch(`${url}/health`));
  await answered(fetch(`${url}/v1/runners/events`, report));
  for (const place of ['/threads', '/threads/thread-1', '/v1/runners/threads/thread-1/latest'])
    await answered(fetch(url + place, { headers }));
}

async function answered(asked: Promise<Response>): Promise<void> {
  const answer = await asked;
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
}

/** Resolves with the first line that the command prints, and the end of the command. */
async function started(args: readonly string[]): Promise<{ line: string; ended: Promise<unknown> }> {
  return new Promise((resolve, reject) => {
    const complaints: string[] = [];
    const complain = (line: string) => void complaints.push(line);
    const ended = runCli(args, { complain, print: (line) => resolve({ line, ended }) });
    const fail = () => reject(new Error(`${args[0]} ended at once. ${complaints.join('\n')}`));
    ended.then(fail, fail);
  });
}
