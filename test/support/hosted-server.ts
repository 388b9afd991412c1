import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { waitFor } from './wait.js';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const BUNDLE = path.join(PROJECT, '.tmp/server-host.mjs');

/** Set by the test environment. */
declare const WAYSTATION_RUN_PID: number;

/** What a test needs of a server's process. */
export interface Running {
  readonly pid: number;
  /** All its output so far. */
  readonly printed: string;
  /** The exit code, or the name of the signal that ended it; undefined while it runs. */
  readonly code: number | NodeJS.Signals | null | undefined;
  readonly ended: Promise<unknown>;
  signal(name: NodeJS.Signals): void;
  closeOutput?(): void;
}

/**
 * Starts a server in a process of this Jest worker that has run others before (setup/server-host.mjs), or in a new one if those are busy.
 * Unlike in a process of its own, modules are loaded and code is compiled already: for tests of what a server does, not of how it starts
 * or how much memory it takes.
 */
export async function startHosted(cwd: string, env: Readonly<Record<string, string | undefined>>): Promise<Running> {
  for (let number = 1; ; number++) {
    const running = await takeHost(number, cwd, env);
    if (running !== null) return running;
  }
}

/** Node's arguments for a process with one server: the built one or, in the Jest projects `plain-door-*`, one without a fast lane. */
export function serverProgram(): string[] {
  return door() === 'plain' ? [BUNDLE, 'plain'] : [path.join(PROJECT, 'dist/cli.js'), 'serve'];
}

function door(): 'plain' | 'fast' {
  return (globalThis as { WAYSTATION_TEST_DOOR?: 'plain' }).WAYSTATION_TEST_DOOR ?? 'fast';
}

interface Message {
  busy?: boolean;
  pid?: number;
  from?: number;
  code?: number;
}

async function takeHost(number: number, cwd: string, env: object): Promise<Running | null> {
  const { JEST_WORKER_ID = '1' } = process.env;
  const socketFile = path.join(tmpdir(), `waystation-host-${WAYSTATION_RUN_PID}-${JEST_WORKER_ID}-${number}-${door()}`);
  const log = `${socketFile}.log`;
  const connection = (await connected(socketFile)) ?? (await startHost(socketFile, log));
  // An idle connection must not keep Jest's worker alive.
  connection.unref();
  connection.on('error', () => undefined);
  connection.write(`${JSON.stringify({ env, cwd })}\n`);
  const messages = createInterface({ input: connection });
  const [first] = (await once(messages, 'line')) as [string];
  const { busy, pid = 0, from = 0 } = JSON.parse(first) as Message;
  if (busy) return null;
  let code: Running['code'];
  let lastSignal: NodeJS.Signals | null = null;
  messages.on('line', (line) => ({ code } = JSON.parse(line) as Message));
  const ended = once(connection, 'close').then(() => {
    code ??= lastSignal;
  });
  return {
    pid,
    ended,
    get printed() {
      return readFileSync(log).subarray(from).toString('utf8');
    },
    get code() {
      return code;
    },
    signal(name) {
      if (code !== undefined) return;
      lastSignal = name;
      process.kill(pid, name);
    },
  };
}

/** Null if no host listens there. */
function connected(socketFile: string): Promise<Socket | null> {
  return new Promise((resolve) => {
    const connection = connect(socketFile);
    connection.once('connect', () => resolve(connection)).once('error', () => resolve(null));
  });
}

async function startHost(socketFile: string, log: string): Promise<Socket> {
  const { PATH, HOME, TMPDIR } = process.env;
  // A killed host leaves its socket.
  rmSync(socketFile, { force: true });
  const file = openSync(log, 'a');
  const host = spawn(process.execPath, [BUNDLE, door(), socketFile, log, String(WAYSTATION_RUN_PID)], {
    env: { PATH, HOME, TMPDIR },
    stdio: ['ignore', file, file],
    detached: true,
  });
  host.unref();
  closeSync(file);
  return waitFor('a host for servers', async () => {
    if (host.exitCode !== null) throw new Error(`The host ended: ${readFileSync(log, 'utf8')}`);
    return (await connected(socketFile)) ?? undefined;
  });
}
