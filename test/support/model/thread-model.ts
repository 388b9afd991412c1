import { isTerminal, terminalStatus, type ModelEvent } from './model-event.js';
import { RunModel, rowOf, type ExpectedRow } from './run-model.js';
import { isOpenQuestion } from './open-questions.js';

/** What earlier events of the same batch did to a run: only repeats, or something new as well. */
type BatchTrail = Map<RunModel, 'starts' | 'replays' | 'news'>;

export interface BatchContext {
  previous: RunModel | null;
  trail: BatchTrail;
}

/**
 * What the contract for recording runs says must come out of a sequence of batches for one thread.
 * No storage, no requests, no speed: this is the yardstick that the real thing is compared with.
 */
export class ThreadModel {
  readonly runs: RunModel[] = [];
  private readonly seenIds = new Set<string>();
  private clock = 0;

  /** Applies a batch and answers the events of it that the contract decides; the others must not be sent. */
  post(batch: readonly ModelEvent[]): ModelEvent[] {
    const context: BatchContext = { previous: null, trail: new Map() };
    return batch.filter((event) => {
      if (event.id !== undefined && this.seenIds.has(event.id)) return true;
      if (isOpenQuestion(this, event, context)) return false;
      if (event.id !== undefined) this.seenIds.add(event.id);
      this.apply(event, context);
      return true;
    });
  }

  get current(): RunModel | undefined {
    return this.runs.reduce<RunModel | undefined>(
      (latest, run) => (!latest || run.progress > latest.progress ? run : latest),
      undefined,
    );
  }

  get rows(): ExpectedRow[] {
    return this.runs.flatMap((run) => run.rows);
  }

  resolve(event: ModelEvent, context: BatchContext): RunModel | undefined {
    if (event.trace !== null) return this.runs.find((run) => run.trace === event.trace);
    return context.previous ?? this.current;
  }

  /** A start by another agent while a run is open is a sub-agent's, whether or not it names its parent. */
  isSubAgent(event: ModelEvent): boolean {
    const open = this.runs.filter((run) => run.isTopLevel && !isTerminal(run.status));
    return event.parent !== null || (open.length > 0 && !open.some((run) => run.agent === event.agent));
  }

  private apply(event: ModelEvent, context: BatchContext): void {
    const known = this.resolve(event, context);
    if (event.type === 'budget_warning') return;
    const run = known ?? this.create(event);
    context.previous = run;
    if (event.type === 'thread_started') this.start(run, event, known !== undefined, context.trail);
    else if (event.type === 'checkpoint') this.checkpoint(run, event, context.trail);
    else this.end(run, event, context.trail);
  }

  private create(event: ModelEvent): RunModel {
    const run = new RunModel(event.trace ?? '?', event.agent, !this.isSubAgent(event));
    if (event.type !== 'checkpoint') {
      const history = event.type === 'thread_started' && run.isTopLevel ? this.memoryOf(event.agent) : [];
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

  private start(run: RunModel, event: ModelEvent, isRepeated: boolean, trail: BatchTrail): void {
    if (!isRepeated) {
      trail.set(run, 'news');
      if (run.isTopLevel) run.progress = ++this.clock;
      return;
    }
    if (!trail.has(run)) trail.set(run, 'starts');
    if (run.latest) run.latest.status = null;
    // A start never resets saved state: what waits for an approval goes on waiting.
    if (isTerminal(run.status)) {
      run.statusToRestore = run.status;
      run.status = 'in_progress';
    }
    run.mark = new Map();
  }

  private checkpoint(run: RunModel, event: ModelEvent, trail: BatchTrail): void {
    const step = event.step ?? run.attempt.highest + 1;
    if (run.knows(event)) {
      const stored = run.rows.findLast((row) => row.step === step && row.data === event.data);
      if (stored) run.mark?.set(step, stored);
      if (trail.get(run) !== 'news') trail.set(run, 'replays');
      return;
    }
    trail.set(run, 'news');
    run.reports.add(event.data);
    run.statusToRestore = null;
    const opens = step <= run.attempt.highest && opensAttempt(run, event);
    if (opens) run.openAttempt();
    const isLate = !opens && step < run.attempt.highest;
    run.attempt.rows.set(step, rowOf(event, run.trace, step));
    if (isLate) return;
    run.status = event.status;
    run.progress = ++this.clock;
  }

  private end(run: RunModel, event: ModelEvent, trail: BatchTrail): void {
    const status = terminalStatus(event) ?? '';
    const text = event.type + event.data;
    const isRetried = trail.get(run) === 'replays' && run.terminals.has(text);
    const isReplay = event.id === undefined && (run.attempt.terminal?.text === text || isRetried);
    const latest = run.latest;
    if (isReplay) {
      if (run.statusToRestore === null) return;
      run.status = run.statusToRestore;
      if (latest) latest.status = run.status;
      run.mark = null;
      return;
    }
    trail.set(run, 'news');
    if (run.progress === 0 && this.runs.length === 1) run.progress = ++this.clock;
    run.status = status;
    run.mark = null;
    run.statusToRestore = null;
    run.terminals.add(text);
    run.attempt.terminal = { text, status };
    if (latest) Object.assign(latest, { status, tokens: event.tokens ?? latest.tokens });
  }
}

/** News at a step that is not above the highest: a new attempt, or a correction of that step. */
function opensAttempt(run: RunModel, event: ModelEvent): boolean {
  const highest = run.attempt.rows.get(run.attempt.highest);
  return run.mark !== null || isTerminal(run.status) || event.turnStart > (highest?.turnStart ?? 0);
}
