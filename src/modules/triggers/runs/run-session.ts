import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../../common/logger.js';
import type { AgentDefinition } from '../definition/definition.js';
import { idsOf, type TriggerRun } from './trigger-run.entity.js';
import { ATTACHMENT } from '../../../common/contract/event-types.js';
import { FileRefused, type FileCopies, type FileCopy } from '../reporter/file-copies.js';
import type { ProcessApi } from '../reporter/process-api.service.js';
import { errorCode } from '../../../common/error-code.js';
import { cutText } from '../../../common/cut-text.js';
import { Backoff, type BackoffLimits } from '../../../common/backoff.js';
import { RUN_STATUS } from '../../../common/contract/run-status.js';
import { BudgetMeter } from './budget-meter.js';
import { AnswerText, type OutputLine } from '../program/output-lines.js';
import { ProgramEventFilter, readProgramEvent, type ProgramEvent, type ProgramIds } from '../program/program-event.js';
import type { ProgramExit, ProgramProcess } from '../program/program-process.js';
import type { RunEvent, RunLog, RunOutcome } from './run-log.service.js';
import { type RunNotices, printedSnapshot, snapshotOf } from './run-notices.service.js';
import type { RunFolders } from './run-folders.service.js';
import type { RunChange } from './runs.repository.js';

const MAX_ANSWER_LENGTH = 1024 * 1024;
const MAX_TYPE_LENGTH = 100;
const MAX_PATH_LENGTH = 200;
/** Also how long the program may block on printing. */
const ASK_MS = 1_000;
const WATCH_SECONDS = 30;
const WATCH_RETRY: BackoffLimits = { firstMs: 500, longestMs: 5_000, hasJitter: true };
/** The longest delay of a timer: 24.8 days. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** What `latest` tells of a run. */
interface WatchedRun extends Record<string, unknown> {
  status: string;
  run_cost_usd: number;
  budget_warning: boolean;
}

/** What a session needs besides its run. */
export interface SessionTools {
  api: ProcessApi;
  log: RunLog;
  notices: RunNotices;
  logger: Logger;
  files: FileCopies;
  folders: RunFolders;
}

/** Why a program was stopped. */
type StopReason = 'timeout' | 'budget' | 'cancel' | 'interrupt' | 'lost';

/** What ends a session from outside. */
export interface SessionSignals {
  /** This process shuts down; the run continues at its next start. */
  interrupt: AbortSignal;
  /** Another process has taken the run over. */
  lost: AbortSignal;
}

/** A running program, from start to end: reports what it prints and enforces its limits. */
export class RunSession {
  private readonly ids: ProgramIds;
  private readonly voice: ProgramEventFilter;
  private readonly answer = new AnswerText(MAX_ANSWER_LENGTH);
  private readonly meter: BudgetMeter;
  private readonly over = new AbortController();
  private stopReason: StopReason | null = null;
  private hasExited = false;
  private hasToldForeign = false;

  constructor(
    private readonly run: TriggerRun,
    private readonly agent: AgentDefinition,
    private readonly program: ProgramProcess,
    private readonly tools: SessionTools,
  ) {
    this.ids = idsOf(run);
    this.voice = new ProgramEventFilter(this.ids);
    this.meter = new BudgetMeter(agent.budgetUsd, run.cost_usd, run.is_budget_warned);
    void program.exited.then(() => (this.hasExited = true));
  }

  /**
   * Returns how the program ended; `interrupted` if it continues later, `lost` if another process has taken the run over.
   * @param hasToken whether the program can report by itself
   */
  async conduct({ interrupt, lost }: SessionSignals, hasToken: boolean): Promise<RunOutcome | 'interrupted' | 'lost'> {
    const onInterrupt = () => this.stop('interrupt');
    const onLost = () => this.lose();
    const limitMs = Math.min(this.agent.timeoutSeconds * 1000, LONGEST_TIMER_MS);
    const timer = setTimeout(() => this.stop('timeout'), limitMs);
    interrupt.addEventListener('abort', onInterrupt);
    if (interrupt.aborted) onInterrupt();
    lost.addEventListener('abort', onLost);
    if (lost.aborted) onLost();
    const watching = this.watch(hasToken && this.agent.budgetUsd !== null);
    try {
      for await (const lines of this.program.output()) await this.take(lines);
      return this.outcomeOf(await this.program.exited);
    } finally {
      clearTimeout(timer);
      interrupt.removeEventListener('abort', onInterrupt);
      lost.removeEventListener('abort', onLost);
      this.over.abort();
      await watching;
      // Also after an error here: no program may run unwatched.
      if (!this.hasExited) await this.program.stop();
      await this.program.cleared;
    }
  }

  private stop(reason: StopReason): void {
    if (this.hasExited) return;
    this.stopReason ??= reason;
    void this.program.stop();
  }

  /** Takes precedence over other reasons: another process now does the program's work. */
  private lose(): void {
    this.stopReason = 'lost';
    void this.program.kill();
  }

  private async take(lines: readonly OutputLine[]): Promise<void> {
    if (this.stopReason === 'lost') return;
    const copies: FileCopy[] = [];
    try {
      await this.report(lines, copies);
    } finally {
      for (const copy of copies) this.tools.files.release(copy);
    }
  }

  /** @param copies gets the copies of files that the lines attach */
  private async report(lines: readonly OutputLine[], copies: FileCopy[]): Promise<void> {
    const events: RunEvent[] = [];
    let lastCheckpoint: string | null = null;
    for (const line of lines) {
      const printed = line.isCut ? null : readProgramEvent(line.bytes, this.ids);
      const event = printed === null ? null : await this.spoken(printed);
      if (printed === null) this.answer.add(line.bytes.toString('utf8').replace(/\r$/, ''));
      else if (event === null) this.tellForeign(printed);
      else if (event.type === ATTACHMENT) events.push(await this.attachment(event, copies));
      else {
        const { type, dataText, data, stamp } = event;
        events.push({ type, dataText, stamp }, ...this.costEvents(event));
        if (data.trace_id === this.ids.trace_id) this.tools.notices.noteSnapshot(this.run, printedSnapshot(type, data));
        if (type === 'checkpoint' && data.trace_id === this.ids.trace_id) lastCheckpoint = dataText;
      }
    }
    if (events.length === 0) return;
    const change = lastCheckpoint === null ? {} : { last_checkpoint: lastCheckpoint, ...this.costChange() };
    await this.tools.log.write(this.run, change, events);
    this.stopIfExceeded();
  }

  /** Copies a file as soon as its line is read; the folder is removed with the run. */
  private async attachment({ data, stamp }: ProgramEvent, copies: FileCopy[]): Promise<RunEvent> {
    const { path: name, ...said } = data;
    const { thread_id, trace_id, agent_id } = data;
    try {
      if (typeof name !== 'string') throw new FileRefused('path must be the name of a file in WAYSTATION_RUN_DIR');
      const copy = await this.tools.files.take(this.tools.folders.pathOf(this.ids.trace_id), name);
      copies.push(copy);
      const file = { name, ...said, digest: copy.digest, size_bytes: copy.sizeBytes };
      return { type: ATTACHMENT, dataText: JSON.stringify(file), stamp };
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === null) throw error;
      const facts = { path: typeof name === 'string' ? cutText(name, MAX_PATH_LENGTH) : null, reason };
      this.tools.logger.warn({ agent: agent_id, thread_id, trace_id, ...facts }, 'a file is not attached');
      const refused = { thread_id, trace_id, agent_id, ...facts };
      return { type: 'attachment_refused', dataText: JSON.stringify(refused), stamp };
    }
  }

  /**
   * The part of an event that may be sent. The run's fence protects other runs that share a sub-run's trace. A run without a lease has no
   * fence, so the API is asked who owns the trace.
   */
  private async spoken(event: ProgramEvent): Promise<ProgramEvent | null> {
    const isAsked = this.run.fence === null && this.voice.isNewSubRun(event);
    return isAsked && (await this.isTaken(String(event.data.trace_id))) ? null : this.voice.permitted(event);
  }

  private async isTaken(traceId: string): Promise<boolean> {
    const signal = AbortSignal.timeout(ASK_MS);
    const latest = await this.tools.api.latestOrNull(this.ids.thread_id, { traceId, isWithoutLists: true, signal });
    if (latest?.kind !== 'found') return false;
    const { parent_trace_id: parent } = JSON.parse(latest.text) as Record<string, unknown>;
    return parent !== this.ids.trace_id;
  }

  /** Once: a program may print a thousand of them. */
  private tellForeign({ type }: ProgramEvent): void {
    if (this.hasToldForeign) return;
    this.hasToldForeign = true;
    const { thread_id, trace_id, agent_id: agent } = this.ids;
    const words = 'a program may only print events of its own run, and of those below it: dropped, as are further ones';
    this.tools.logger.warn({ agent, thread_id, trace_id, type: cutText(type, MAX_TYPE_LENGTH) }, words);
  }

  private costEvents({ type, data }: ProgramEvent): RunEvent[] {
    if (data.trace_id !== this.ids.trace_id) return [];
    if (type === 'budget_warning') this.meter.noteWarned();
    return this.meter.read(data.run_cost_usd).isWarning ? [this.warning()] : [];
  }

  private warning(): RunEvent {
    const { costUsd, budgetUsd } = this.meter;
    const data = { ...this.ids, run_cost_usd: costUsd, budget_usd: budgetUsd };
    return { type: 'budget_warning', dataText: JSON.stringify(data) };
  }

  private costChange(): RunChange {
    return { cost_usd: this.meter.costUsd, is_budget_warned: this.meter.isWarned };
  }

  private stopIfExceeded(): void {
    if (this.meter.isExceeded) this.stop('budget');
  }

  /** Follows the run at the API: a person may cancel it there, and the program may report costs there. */
  private async watch(isCostRead: boolean): Promise<void> {
    const { signal } = this.over;
    const { thread_id, trace_id: traceId } = this.ids;
    const backoff = new Backoff(WATCH_RETRY);
    let etag: string | undefined;
    while (!signal.aborted) {
      const waitSeconds = etag === undefined ? 0 : WATCH_SECONDS;
      const latest = await this.tools.api.latestOrNull(thread_id, {
        traceId,
        isWithoutLists: true,
        waitSeconds,
        etag,
        signal,
      });
      if (latest === null || latest.kind === 'unknown') {
        await sleep(backoff.next(), undefined, { signal }).catch(() => undefined);
        continue;
      }
      backoff.reset();
      if (latest.kind === 'unchanged') continue;
      const seen = JSON.parse(latest.text) as WatchedRun;
      this.tools.notices.noteSnapshot(this.run, snapshotOf(seen));
      if (seen.status === RUN_STATUS.cancelled) this.stop('cancel');
      const isRead = !isCostRead || (await this.readCost(seen));
      if (isRead) etag = latest.etag;
      else await sleep(backoff.next(), undefined, { signal }).catch(() => undefined);
    }
  }

  /** Returns false if the state could not be written. */
  private async readCost({ run_cost_usd, budget_warning }: WatchedRun): Promise<boolean> {
    // A program that sets the flag is assumed to have reported the warning, too.
    if (budget_warning) this.meter.noteWarned();
    const { isWarning } = this.meter.read(run_cost_usd);
    this.stopIfExceeded();
    if (!isWarning) return true;
    return this.tools.log.write(this.run, this.costChange(), [this.warning()]).then(
      () => true,
      () => false,
    );
  }

  private outcomeOf({ exitCode, signal }: ProgramExit): RunOutcome | 'interrupted' | 'lost' {
    if (this.stopReason === 'lost') return 'lost';
    if (this.stopReason === 'interrupt') return 'interrupted';
    if (this.stopReason === 'cancel') return { kind: 'cancelled' };
    if (this.stopReason === 'budget' || this.meter.isExceeded) return { kind: 'budget_exceeded' };
    const answer = this.answer.toString();
    if (this.stopReason === null && exitCode === 0) return { kind: 'completed', answer };
    const message = this.stopReason === 'timeout' ? this.timeoutWords() : wordsOf(exitCode, signal);
    return { kind: 'failed', error: { message, exit_code: exitCode, signal, stderr: this.program.stderrTail } };
  }

  private timeoutWords(): string {
    return `The program did not end within ${this.agent.timeoutSeconds} seconds and was stopped.`;
  }
}

/** Why a file is not attached; null for an internal error. */
function reasonOf(error: unknown): string | null {
  if (error instanceof FileRefused) return error.message;
  const code = errorCode(error);
  return code === null ? null : `it cannot be copied (${code})`;
}

function wordsOf(exitCode: number | null, signal: string | null): string {
  if (exitCode === null) return `The program was ended by ${signal ?? 'a signal'}.`;
  return `The program ended with exit code ${exitCode}.`;
}
