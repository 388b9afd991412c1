import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { startOf } from '../../../common/process-start.js';
import { LineSplitter, OutputTail, type OutputLine } from './output-lines.js';
import {
  groupOf,
  killAllWith,
  killGroup,
  processesWith,
  signalAll,
  signalGroup,
  type OwnerMark,
} from './process-group.js';

/** Names the run to each program, and to every process that the program starts. */
export const TRACE_VARIABLE = 'WAYSTATION_TRACE_ID';
/** Names the state of the agent process that started it: another process on this machine may have taken the same run over. */
export const OWNER_VARIABLE = 'WAYSTATION_STATE_ID';
/** A longer line is no event: the API takes bodies up to 32 MiB. */
const MAX_LINE_BYTES = 24 * 1024 * 1024;
const STDERR_TAIL_BYTES = 4 * 1024;
/** The part of a standard error line that is passed on. */
const MAX_ERROR_LINE_BYTES = 16 * 1024;
/** Between the request to stop and SIGKILL. */
const STOP_GRACE_MS = 5_000;
/** How long processes that a program leaves behind may continue to write. */
const AFTERMATH_MS = 1_000;
const LONGEST_AFTERMATH_MS = 10_000;

/** Groups of running programs. If this process ends at once, as on a second Ctrl+C, nothing else would stop them. */
const living = new Set<number>();
process.once('exit', () => {
  for (const group of living) signalGroup(group, 'SIGKILL');
});

export interface ProgramStart {
  command: readonly string[];
  workingDirectory: string;
  env: Readonly<Record<string, string>>;
  /** Gets standard error line by line. */
  onErrorLine?: (line: string) => void;
}

/** How a program ended: by itself, or by a signal. */
export interface ProgramExit {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

/** A program in its own process group, with everything that it starts, even processes that leave the group (on Linux). */
export class ProgramProcess {
  readonly processGroup: number;
  readonly startedAs: string | null;
  /** Resolves when the program itself has ended, whatever it left behind. */
  readonly exited: Promise<ProgramExit>;
  /** Resolves later, when leftover processes have been ended, too. */
  readonly cleared: Promise<void>;
  private readonly traces: ReadonlySet<string>;
  private readonly owner: OwnerMark | undefined;
  /** Its end, and that of all its output. It may come together with the end of the program, so it is listened for from the beginning. */
  private readonly closed: Promise<unknown>;
  private readonly errors = new OutputTail(STDERR_TAIL_BYTES);
  private lastOutputMs = Date.now();
  private stopping: Promise<void> | null = null;

  private constructor(
    private readonly child: ChildProcessWithoutNullStreams,
    env: ProgramStart['env'],
  ) {
    this.traces = new Set([env[TRACE_VARIABLE]].filter((trace) => trace !== undefined));
    const owner = env[OWNER_VARIABLE];
    this.owner = owner === undefined ? undefined : { name: OWNER_VARIABLE, value: owner };
    this.processGroup = child.pid!;
    this.startedAs = startOf(this.processGroup);
    this.closed = new Promise((resolve) => child.once('close', resolve));
    this.exited = new Promise((resolve) => {
      child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
    });
    child.stderr.on('data', (chunk: Buffer) => this.errors.add(chunk));
    // A program that does not read its input closes the pipe, which it may.
    child.stdin.on('error', () => undefined);
    child.stdout.on('error', () => undefined);
    child.stderr.on('error', () => undefined);
    living.add(this.processGroup);
    void this.exited.then(() => living.delete(this.processGroup));
    this.cleared = this.exited.then(() => this.clearUp());
  }

  /** @throws the system's error, with its `code`, when the program cannot be started */
  static async start({ command, workingDirectory, env, onErrorLine }: ProgramStart): Promise<ProgramProcess> {
    const [file, ...args] = command;
    const child = spawn(file!, args, { cwd: workingDirectory, env: { ...env }, detached: true, stdio: 'pipe' });
    const program = child.pid === undefined ? null : new ProgramProcess(child, env);
    if (program === null) await once(child, 'spawn');
    if (onErrorLine !== undefined) handOnLines(child.stderr, onErrorLine);
    return program!;
  }

  /** The end of what it wrote to standard error. */
  get stderrTail(): string {
    return this.errors.toString();
  }

  /** Writes its input and closes it. */
  giveInput(line: string): void {
    this.child.stdin.end(`${line}\n`);
  }

  /**
   * Its output line by line, the lines of one chunk together. Ends soon after the program, even if other processes hold its output open.
   */
  async *output(): AsyncGenerator<OutputLine[]> {
    const splitter = new LineSplitter(MAX_LINE_BYTES);
    try {
      for await (const chunk of this.child.stdout as AsyncIterable<Buffer>) {
        // While the reader is busy, the program is not idle.
        this.lastOutputMs = Infinity;
        const lines = splitter.push(chunk);
        if (lines.length > 0) yield lines;
        this.lastOutputMs = Date.now();
      }
    } catch (error) {
      if (!isClosed(error)) throw error;
    }
    const rest = splitter.rest();
    if (rest.length > 0) yield rest;
  }

  /** Asks all its processes to stop, and kills those that do not. Resolves when the program has ended. */
  stop(): Promise<void> {
    this.stopping ??= this.stopGroup();
    return this.stopping;
  }

  /** Kills everything that it started, at once. */
  kill(): Promise<void> {
    this.signal('SIGKILL');
    this.stopping = this.exited.then(() => undefined);
    return this.stopping;
  }

  private async stopGroup(): Promise<void> {
    this.signal('SIGTERM');
    const force = setTimeout(() => this.signal('SIGKILL'), STOP_GRACE_MS);
    await this.exited;
    clearTimeout(force);
  }

  /** Each process once: a second signal would kill a program that is cleaning up after the first. */
  private signal(signal: NodeJS.Signals): void {
    const all = processesWith(TRACE_VARIABLE, this.traces, this.owner);
    const outside = all.filter((pid) => groupOf(pid) !== this.processGroup);
    signalGroup(this.processGroup, signal);
    signalAll(outside, signal);
  }

  /** Ends processes that the program left behind; waits for their output, but not forever. */
  private async clearUp(): Promise<void> {
    const begin = Date.now();
    await Promise.race([this.closed, pause(AFTERMATH_MS)]);
    await killGroup(this.processGroup);
    await killAllWith(TRACE_VARIABLE, this.traces, this.owner);
    while (!this.child.stdout.destroyed && !this.child.stdout.readableEnded) {
      await pause(100);
      const isQuiet = Date.now() - this.lastOutputMs > AFTERMATH_MS;
      if (isQuiet || Date.now() - begin > LONGEST_AFTERMATH_MS) this.child.stdout.destroy();
    }
    this.child.stderr.destroy();
  }
}

function handOnLines(stream: Readable, onLine: (line: string) => void): void {
  const splitter = new LineSplitter(MAX_ERROR_LINE_BYTES);
  const handOn = (lines: readonly OutputLine[]) => {
    for (const { bytes } of lines) onLine(bytes.toString('utf8').trimEnd());
  };
  stream.on('data', (chunk: Buffer) => handOn(splitter.push(chunk)));
  stream.once('close', () => handOn(splitter.rest()));
}

function isClosed(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
