import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { CommandResult } from './command.js';
import { waitFor } from './wait.js';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const HOST = path.join(PROJECT, '.tmp/program-host.mjs');

/** Set by the test environment. */
declare const WAYSTATION_RUN_PID: number;

type Variables = Readonly<Record<string, string | undefined>>;

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

/** Node's arguments for a process with one server: the built one or, in the Jest projects `plain-door-*`, one without a fast lane. */
export function serverProgram(): string[] {
  return door() === 'plain' ? [HOST, 'plain'] : [path.join(PROJECT, 'dist/cli.js'), 'serve'];
}

/** Runs Node in a process of its own. */
export function spawnAlone(cwd: string, env: Variables, args: readonly string[]): Running {
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString('utf8');
    });
  return {
    pid: child.pid ?? 0,
    ended: once(child, 'exit'),
    get printed() {
      return printed;
    },
    get code() {
      return child.exitCode ?? child.signalCode ?? undefined;
    },
    signal: (name) => void child.kill(name),
    closeOutput: () => void child.stdout.destroy(),
  };
}

/**
 * Starts a server in a process of this Jest worker that has run the program before (setup/program-host.mjs), or in a new one if those are
 * busy. There, modules are loaded and code is compiled already: for tests of what a server does, not of how its process starts and ends or
 * how much memory it takes.
 */
export function startHostedServer(cwd: string, env: Variables): Promise<Running> {
  return startHosted({ cwd, env, command: null, isLasting: true });
}

/** The same for `waystation agent ...`. */
export function startHostedAgent(cwd: string, env: Variables, command: readonly string[]): Promise<Running> {
  return startHosted({ cwd, env, command, isLasting: true });
}

async function startHosted(order: Order): Promise<Running> {
  const { pid, from, log, messages, connection } = await takeHost(order);
  let code: Running['code'];
  let lastSignal: NodeJS.Signals | null = null;
  const ended = Promise.all([messages.next().catch(() => null), once(connection, 'close')]).then(([last]) => {
    code = last === null || last.done ? lastSignal : (JSON.parse(last.value) as Message).code;
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

/** Runs `waystation ...` in such a process: without standard input, and without its own start and end. */
export async function runHostedCommand(
  cwd: string,
  env: Variables,
  command: readonly string[],
): Promise<CommandResult> {
  const { messages } = await takeHost({ cwd, env, command, isLasting: false });
  const last = await messages.next();
  if (last.done) throw new Error('The process that ran the command has ended.');
  const { code = null, stdout = '', stderr = '' } = JSON.parse(last.value) as Message;
  return { code, stdout, stderr };
}

interface Order {
  cwd: string;
  env: Variables;
  /** The command's arguments; null for a server. */
  command: readonly string[] | null;
  /** Whether it runs until a signal ends it. */
  isLasting: boolean;
}

interface Message extends Partial<CommandResult> {
  busy?: boolean;
  pid?: number;
  /** Where the server's output begins in the file with all output. */
  from?: number;
}

interface TakenHost {
  pid: number;
  from: number;
  log: string;
  connection: Socket;
  messages: AsyncIterator<string, undefined>;
}

/** Hands the order to the first host that is not busy. */
async function takeHost(order: Order): Promise<TakenHost> {
  for (let number = 1; ; number++) {
    const taken = await takeNumbered(number, order);
    if (taken !== null) return taken;
  }
}

/** Null if the host is busy. */
async function takeNumbered(number: number, order: Order): Promise<TakenHost | null> {
  const { JEST_WORKER_ID = '1' } = process.env;
  const name = `waystation-host-${WAYSTATION_RUN_PID}-${JEST_WORKER_ID}-${number}-${door()}`;
  const socketFile = path.join(tmpdir(), name);
  const log = `${socketFile}.log`;
  for (;;) {
    const connection = (await connected(socketFile)) ?? (await startHost(socketFile, log));
    // It must not keep Jest's worker alive.
    connection.unref();
    connection.on('error', () => undefined);
    connection.write(`${JSON.stringify(order)}\n`);
    const messages = createInterface({ input: connection })[Symbol.asyncIterator]() as TakenHost['messages'];
    const first = await messages.next().catch(() => null);
    // A host that a test has just killed may still accept a connection.
    if (first === null || first.done) continue;
    const { busy, pid = 0, from = 0 } = JSON.parse(first.value) as Message;
    return busy ? null : { pid, from, log, connection, messages };
  }
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
  const host = spawn(process.execPath, [HOST, door(), socketFile, log, String(WAYSTATION_RUN_PID)], {
    env: { PATH, HOME, TMPDIR },
    stdio: ['ignore', file, file],
    detached: true,
  });
  host.unref();
  closeSync(file);
  return waitFor('a host for the program', async () => {
    if (host.exitCode !== null) throw new Error(`The host ended: ${readFileSync(log, 'utf8')}`);
    return (await connected(socketFile)) ?? undefined;
  });
}

function door(): 'plain' | 'fast' {
  return (globalThis as { WAYSTATION_TEST_DOOR?: 'plain' }).WAYSTATION_TEST_DOOR ?? 'fast';
}
