import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { isEnded, RUN_STATUS } from '../../../common/contract/run-status.js';
import { cutText } from '../../../common/cut-text.js';
import { Logger, type LogFields } from '../../../common/logger.js';
import type { ProgramIds } from '../program/program-event.js';
import { ProcessApi } from '../reporter/process-api.service.js';
import type { RunOutcome } from './run-log.service.js';
import type { TriggerRun } from './trigger-run.entity.js';

/** Longest text of an error, or line of standard error, in the log. */
const MAX_LENGTH = 300;
/** A running server responds at once; a log line should not be delayed for long. */
const ASK_MS = 1_000;
const NODE_ERROR = /^\w*(Error|Exception)\b.*:/;

interface ActiveRun {
  readonly run: TriggerRun;
  readonly beganMs: number;
  /** Whether its program was started here. */
  isStarted: boolean;
  isWaiting: boolean;
  costUsd: number;
  /** The failure that the program reported itself. */
  failure: RunSnapshot | null;
}

/** Logs a line for each start, wait and end of this process's runs, and knows which of them wait for a person. */
@Injectable()
export class RunNotices {
  private readonly active = new Map<string, ActiveRun>();
  /** Runs that already have this line: the state is polled. */
  private readonly postponedRuns = new Set<string>();
  private onWait: (run: TriggerRun) => void = () => undefined;

  constructor(
    private readonly api: ProcessApi,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  begins(run: TriggerRun): void {
    this.active.set(run.run_id, {
      run,
      beganMs: this.clock.nowMs(),
      isStarted: false,
      isWaiting: false,
      costUsd: run.cost_usd,
      failure: null,
    });
  }

  started(run: TriggerRun, isResumed: boolean): void {
    this.postponedRuns.delete(run.run_id);
    const active = this.active.get(run.run_id);
    if (active !== undefined) active.isStarted = true;
    this.logger.info({ ...idsIn(run), source: run.source }, isResumed ? 'run resumed' : 'run started');
  }

  /** Logs what a program writes to standard error, line by line. */
  errorLines({ agent_id: agent, thread_id, trace_id }: ProgramIds): (line: string) => void {
    return (line) => this.logger.info({ agent, thread_id, trace_id, line }, 'standard error');
  }

  /** Call it for everything seen of a run while its program is running. */
  noteSnapshot({ run_id }: TriggerRun, snapshot: RunSnapshot): void {
    const { status, tools, costUsd, isPrinted } = snapshot;
    const active = this.active.get(run_id);
    if (active === undefined) return;
    active.costUsd = Math.max(active.costUsd, costUsd);
    if (status === RUN_STATUS.error) active.failure = snapshot;
    else if (isPrinted || !active.failure?.isPrinted) active.failure = null;
    const wasWaiting = active.isWaiting;
    active.isWaiting = status === RUN_STATUS.waiting;
    if (wasWaiting || !active.isWaiting) return;
    this.logger.info({ ...idsIn(active.run), tools }, 'run waits for a person');
    this.onWait(active.run);
  }

  /** Calls `onWait` for runs that wait for a person now, and for those that start to wait later. */
  followWaits(onWait: (run: TriggerRun) => void): void {
    this.onWait = onWait;
    for (const { run, isWaiting } of this.active.values()) if (isWaiting) onWait(run);
  }

  /** Logs which runs delay the end of this process. */
  closing(limitMs: number): void {
    const runs = [...this.active.values()].filter(({ isWaiting }) => !isWaiting);
    if (runs.length === 0) return;
    const names = runs.map(({ run }) => ({ agent: run.agent_name, trace_id: run.run_id }));
    this.logger.info({ runs: names, limit_ms: limitMs }, 'waiting for runs to finish');
  }

  /** The program was stopped and continues at the next start of this process. */
  interrupted(run: TriggerRun): void {
    const active = this.forget(run);
    this.logger.info({ ...idsIn(run), was_waiting: active?.isWaiting === true }, 'run interrupted');
  }

  /** Another process drives the run. */
  postponed(run: TriggerRun): void {
    this.forget(run);
    if (this.postponedRuns.has(run.run_id)) return;
    this.postponedRuns.add(run.run_id);
    this.logger.info(idsIn(run), 'the run is active in another process');
  }

  /** Another process has taken the run over, so that its program was killed here. */
  takenOver(run: TriggerRun): void {
    this.forget(run);
    this.logger.warn(idsIn(run), 'run taken over by another process');
  }

  async ended(run: TriggerRun, outcome: RunOutcome): Promise<void> {
    const active = this.forget(run);
    const duration_ms = active === undefined ? undefined : this.clock.nowMs() - active.beganMs;
    const reported = await this.reported(run);
    const cost_usd = Math.max(active?.costUsd ?? 0, reported?.costUsd ?? 0);
    const failure = reported?.status === RUN_STATUS.error ? reported : (active?.failure ?? null);
    if (outcome.kind === 'failed' && active?.isStarted === false && reported !== null && isEnded(reported.status)) {
      const { status } = reported;
      return this.logger.info({ ...idsIn(run), cost_usd, status }, 'the run had already ended');
    }
    this.tellEnd({ ...idsIn(run), duration_ms, cost_usd }, outcome, failure);
  }

  private tellEnd(facts: LogFields, outcome: RunOutcome, failure: RunSnapshot | null): void {
    switch (outcome.kind) {
      case 'failed': {
        const error = cutText(outcome.error.message, MAX_LENGTH);
        return this.logger.warn({ ...facts, error, stderr: lastLineOf(outcome.error.stderr) }, 'run failed');
      }
      case 'budget_exceeded':
        return this.logger.warn(facts, 'run stopped at its budget');
      case 'cancelled':
        return this.logger.info(facts, 'run cancelled');
      case 'completed':
        // A program that reports for itself may have reported a failure and exited with 0.
        if (failure === null) return this.logger.info(facts, 'run completed');
        return this.logger.warn({ ...facts, error: errorText(failure.error, MAX_LENGTH) }, 'run failed');
    }
  }

  private async reported({ thread_id, run_id }: TriggerRun): Promise<RunSnapshot | null> {
    const signal = AbortSignal.timeout(ASK_MS);
    const latest = await this.api.latestOrNull(thread_id, { traceId: run_id, isWithoutLists: true, signal });
    return latest?.kind === 'found' ? snapshotOf(JSON.parse(latest.text) as Record<string, unknown>) : null;
  }

  private forget({ run_id }: TriggerRun): ActiveRun | undefined {
    const active = this.active.get(run_id);
    this.active.delete(run_id);
    return active;
  }
}

function idsIn({ agent_name, thread_id, run_id }: TriggerRun) {
  return { agent: agent_name, thread_id, trace_id: run_id };
}

/** Node writes the error first, then a stack and its own version. */
function lastLineOf(text: string): string | undefined {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const isOfNode = /^Node\.js v\d/.test(lines.at(-1) ?? '');
  const line = (isOfNode && lines.findLast((candidate) => NODE_ERROR.test(candidate))) || lines.at(-1);
  return line === undefined ? undefined : cutText(line, MAX_LENGTH);
}

/** What is seen of a run while its program is running, or soon after. */
export interface RunSnapshot {
  status: string;
  /** Names of the pending tool calls that have one. */
  tools: readonly string[];
  costUsd: number;
  /** As reported, of any shape. */
  error?: unknown;
  /** Whether the program has just printed it. The server's response may be older. */
  isPrinted: boolean;
}

/** Reads a checkpoint from `latest` or from a program's output. */
export function snapshotOf(checkpoint: Readonly<Record<string, unknown>>): RunSnapshot {
  const { status, pending_tool_calls: calls, run_cost_usd: cost, error } = checkpoint;
  return {
    status: typeof status === 'string' ? status : '',
    tools: Array.isArray(calls) ? calls.flatMap(nameOf) : [],
    costUsd: typeof cost === 'number' && Number.isFinite(cost) ? cost : 0,
    error,
    isPrinted: false,
  };
}

/** From an event that a program printed. */
export function printedSnapshot(type: string, data: Readonly<Record<string, unknown>>): RunSnapshot {
  const snapshot = { ...snapshotOf(data), isPrinted: true };
  return type === 'thread_error' ? { ...snapshot, status: RUN_STATUS.error } : snapshot;
}

/** The message of a reported error; its JSON if it has none. */
export function errorText(error: unknown, maxLength: number): string {
  const { message } = (error ?? {}) as { message?: unknown };
  const text =
    typeof message === 'string' ? message : typeof error === 'string' ? error : JSON.stringify(error ?? null);
  return cutText(text, maxLength);
}

function nameOf(call: unknown): string[] {
  const { name, tool_name, function: inner } = (call ?? {}) as Record<string, unknown>;
  const innerName = (inner as { name?: unknown } | undefined)?.name;
  const found = [name, tool_name, innerName].find((text) => typeof text === 'string');
  return found === undefined ? [] : [String(found)];
}
