import { BatchContext } from './batch-context.js';
import { endingStatus, isAtRest, isNote, isOlder, isTerminal, type ModelEvent } from './model-event.js';
import { RunModel, rowOf, type ExpectedRow } from './run-model.js';
import { isOpenQuestion } from './open-questions.js';

type Verb = 'cancel' | 'retry';

/**
 * The outcome that the contract demands for a sequence of batches for one thread.
 * Without storage, requests or optimisation: the reference for the real implementation.
 */
export class ThreadModel {
  readonly runs: RunModel[] = [];
  private readonly seenIds = new Set<string>();
  private readonly sent: (ModelEvent[] | { verb: Verb; trace: string })[] = [];
  private clock = 0;

  /** Applies a batch. @returns its events that the contract decides; the others must not be sent */
  post(batch: readonly ModelEvent[]): ModelEvent[] {
    let decided = [...batch];
    // An ending's meaning depends on the events beside it, so dropping some may change it.
    for (let asked = -1; asked !== decided.length;) {
      asked = decided.length;
      const trial = new ThreadModel();
      for (const earlier of this.sent) {
        if (Array.isArray(earlier)) trial.take(earlier);
        else trial.order(earlier.verb, earlier.trace);
      }
      decided = trial.take(decided);
    }
    this.sent.push(decided);
    return this.take(decided);
  }

  /** A person cancels the run with this trace, and the open runs below it. @returns the HTTP status */
  cancel(trace: string): number {
    this.sent.push({ verb: 'cancel', trace });
    return this.order('cancel', trace);
  }

  /** A person retries the run; its agent accepts and reports nothing at first. @returns the HTTP status */
  retry(trace: string): number {
    this.sent.push({ verb: 'retry', trace });
    return this.order('retry', trace);
  }

  get current(): RunModel | undefined {
    return this.runs.reduce<RunModel | undefined>(
      (latest, run) => (!latest || run.progress > latest.progress ? run : latest),
      undefined,
    );
  }

  /** The run shown without a filter: the topmost ancestor of the run that last made progress, unless that one waits. */
  get shown(): RunModel | undefined {
    const met = new Set<RunModel>();
    let shown = this.current;
    while (shown && shown.status !== 'waiting_for_approval') {
      met.add(shown);
      const above = shown.parent === null ? undefined : this.find(shown.parent);
      if (!above || met.has(above)) break;
      shown = above;
    }
    return shown;
  }

  get rows(): ExpectedRow[] {
    return this.runs.flatMap((run) => run.rows);
  }

  find(trace: string | null): RunModel | undefined {
    return this.runs.find((run) => run.trace === trace);
  }

  resolve(event: ModelEvent, context: BatchContext): RunModel | undefined {
    if (event.trace !== null) return this.find(event.trace);
    const run = context.previous ?? this.current;
    return run && endingStatus(event) !== null && event.type !== 'thread_idle' ? this.endedBy(run, event) : run;
  }

  /** A start by another agent while a run is open is a sub-agent's, whether or not it names its parent. */
  isSubAgent(event: ModelEvent): boolean {
    const open = this.runs.filter((run) => run.isTopLevel && !isTerminal(run.status));
    return event.parent !== null || (open.length > 0 && !open.some((run) => run.agent === event.agent));
  }

  /** An ending without a trace that meets a sub-run which ended with other text ends its nearest open ancestor. */
  private endedBy(run: RunModel, event: ModelEvent): RunModel {
    const isMeant = (one: RunModel) =>
      !isTerminal(one.status) || one.lastEnding?.text === textOf(event) || (one.isCancelled && one.lastEnding === null);
    const met = new Set([run]);
    for (let above = this.find(run.parent); run.parent !== null && !isMeant(run) && above;) {
      if (isMeant(above)) return above;
      if (met.has(above)) return run;
      met.add(above);
      above = above.parent === null ? undefined : this.find(above.parent);
    }
    return run;
  }

  private order(verb: Verb, trace: string): number {
    const run = this.find(trace);
    if (!run) return 404;
    if (verb === 'cancel') return this.cancelRun(run);
    if (!isAtRest(run.status) || !run.canStartAgain) return 409;
    run.retry();
    return 202;
  }

  private cancelRun(run: RunModel): number {
    if (isTerminal(run.status)) return run.isCancelled ? 200 : 409;
    const open = this.runs.filter((one) => !isTerminal(one.status) && (one === run || this.isBelow(one, run)));
    for (const one of open) one.cancel();
    return 200;
  }

  private isBelow(run: RunModel, top: RunModel): boolean {
    const met = new Set([run]);
    for (let above = this.find(run.parent); run.parent !== null && above && !met.has(above);) {
      if (above === top) return true;
      met.add(above);
      above = above.parent === null ? undefined : this.find(above.parent);
    }
    return false;
  }

  private take(batch: readonly ModelEvent[]): ModelEvent[] {
    const context = new BatchContext(batch);
    return batch.filter((event) => {
      if (event.id !== undefined && this.seenIds.has(event.id)) {
        this.replay(event, context);
        return true;
      }
      if (isOpenQuestion(this, event, context)) return false;
      if (event.id !== undefined) this.seenIds.add(event.id);
      this.apply(event, context);
      return true;
    });
  }

  /** Its id was seen before. After a start with a new id, which is certainly a new start, it restores nothing. */
  private replay(event: ModelEvent, context: BatchContext): void {
    const run = isNote(event) ? undefined : this.resolve(event, context);
    if (!run) return;
    context.meet(run, event);
    if (endingStatus(event) !== null && run.mark?.hasId === false) run.restore();
  }

  private apply(event: ModelEvent, context: BatchContext): void {
    if (isNote(event)) return;
    const known = this.resolve(event, context);
    const run = known ?? this.create(event);
    context.meet(run, event);
    if (known && isOlder(event.second, run.attemptSecond)) {
      // Late, but recorded as seen.
      if (event.id === undefined && endingStatus(event) !== null) run.endings.add(textOf(event));
      return;
    }
    if (!known) context.news.add(run);
    if (event.type === 'thread_started') this.start(run, event, known !== undefined);
    else if (event.type === 'checkpoint') this.checkpoint(run, event, context);
    else this.end(run, event, context);
  }

  private create(event: ModelEvent): RunModel {
    const run = new RunModel(event.trace ?? '?', event.agent, event.parent, !this.isSubAgent(event));
    run.attemptSecond = event.second ?? null;
    if (event.type !== 'checkpoint') {
      const history = run.isTopLevel ? this.memoryOf(event.agent) : [];
      run.attempt.initial = { ...rowOf(event, run.trace, 0), status: 'in_progress', history };
    }
    this.runs.push(run);
    return run;
  }

  /** The last non-empty history of an agent: what a restarted agent resumes with. */
  private memoryOf(agent: string): readonly string[] {
    const byProgress = [...this.runs].sort((a, b) => a.progress - b.progress);
    const rows = byProgress.flatMap((run) => run.rows).filter((row) => row.agent === agent && row.history.length > 0);
    return rows.at(-1)?.history ?? [];
  }

  private start(run: RunModel, event: ModelEvent, isRepeated: boolean): void {
    if (!isRepeated) {
      if (run.isTopLevel) run.progress = ++this.clock;
      return;
    }
    const hasId = event.id !== undefined;
    run.mark = { taken: new Map(), second: event.second ?? null, statusBefore: run.standing, hasId };
    // A start never resets saved state: what waits for an approval keeps waiting.
    if (!isAtRest(run.status)) return;
    run.status = 'in_progress';
    if (run.latest) run.latest.status = null;
  }

  private checkpoint(run: RunModel, event: ModelEvent, context: BatchContext): void {
    const { highest } = run.attempt;
    const step = event.step ?? highest + 1;
    if (run.knows(event)) {
      const stored = run.rows.findLast((row) => row.step === step && row.data === event.data);
      if (stored) run.mark?.taken.set(step, stored);
      return;
    }
    context.news.add(run);
    run.reports.add(event.data);
    run.parent = event.parent ?? run.parent;
    const isNewTurn = beginsTurn(run, event);
    const isFromBefore = run.standing === 'cancelled' || isOlder(event.second, run.lastEnding?.second);
    if (isTerminal(run.standing) && !isNewTurn && isFromBefore) {
      return this.belated(run, event, step);
    }
    const opensAttempt = step <= highest && (isNewTurn || isTerminal(run.standing));
    run.noteReport(opensAttempt);
    if (step > highest) run.mark = null;
    else if (opensAttempt) run.openAttempt(event.second);
    const isLate = step < run.attempt.highest;
    run.attempt.rows.set(step, rowOf(event, run.trace, step));
    if (isLate) return;
    run.status = event.status;
    if (run.mark) run.mark.statusBefore = event.status;
    run.progress = ++this.clock;
  }

  /** It occurred before the end of its run: the end stays, and becomes its end too. */
  private belated(run: RunModel, event: ModelEvent, step: number): void {
    const row = rowOf(event, run.trace, step);
    const status = run.mark ? null : run.status;
    run.attempt.rows.set(step, { ...row, status, tokens: run.lastEnding?.tokens ?? row.tokens });
  }

  private end(run: RunModel, event: ModelEvent, context: BatchContext): void {
    const text = textOf(event);
    if (run.isCancelled) {
      // Late: the person was first.
      if (event.type !== 'thread_idle') run.lastEnding = { text, second: null, tokens: null };
      if (event.id === undefined) run.endings.add(text);
      return;
    }
    if (event.id === undefined) {
      const isLast = run.lastEnding?.text === text && run.standing !== 'cancelled';
      const isKnown = run.endings.has(text);
      if (isLast && isAtRest(run.standing)) return run.restore();
      const isLone = context.isLone(run, event);
      if (isKnown && !isLone && !context.news.has(run)) return run.restore();
      const isBehind = event.tokens !== null && event.tokens < (run.latest?.tokens ?? 0);
      if (isKnown && isLone && !isLast && (run.status === 'waiting_for_approval' || isBehind)) return;
    }
    context.news.add(run);
    run.noteReport(false);
    if (run.progress === 0 && this.runs.length === 1) run.progress = ++this.clock;
    run.status = endingStatus(event) ?? '';
    run.mark = null;
    // An ending with an id is recognised by that.
    if (event.id === undefined) run.endings.add(text);
    run.lastEnding = { text, second: event.second ?? null, tokens: event.tokens };
    if (run.latest) {
      Object.assign(run.latest, { status: run.status, tokens: event.tokens ?? run.latest.tokens });
    }
  }
}

function textOf(event: ModelEvent): string {
  return event.type + event.data;
}

/** A repeated start, or a larger `turn_start_history_len`, begins a turn; an event that occurred before the start does not follow it. */
function beginsTurn(run: RunModel, event: ModelEvent): boolean {
  const highest = run.attempt.rows.get(run.attempt.highest);
  const followsStart = run.mark !== null && !isOlder(event.second, run.mark.second);
  return followsStart || event.turnStart > (highest?.turnStart ?? 0);
}
