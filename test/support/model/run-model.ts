import { isAtRest, type ModelEvent } from './model-event.js';

/** One stored checkpoint as it must read back. */
export interface ExpectedRow {
  trace: string;
  agent: string;
  step: number;
  /** Null where the contract leaves it open: the latest checkpoint between a repeated start and what follows it. */
  status: string | null;
  history: readonly string[];
  turnStart: number;
  tokens: number;
  data: string;
}

/** One pass over the steps of a run. */
export class AttemptModel {
  readonly rows = new Map<number, ExpectedRow>();
  /** The row that `thread_started` made, until the first checkpoint replaces it. */
  initial: ExpectedRow | null = null;

  get highest(): number {
    return Math.max(-1, ...this.rows.keys());
  }

  get ordered(): ExpectedRow[] {
    const rows = [...this.rows.values()].sort((a, b) => a.step - b.step);
    return rows.length === 0 && this.initial ? [this.initial] : rows;
  }
}

/** A run was started again, and nothing new has followed that tells whether this was a replay. */
export interface MarkModel {
  /** Steps replayed since. */
  taken: Map<number, ExpectedRow>;
  second: number | null;
  statusBefore: string;
  hasId: boolean;
}

/** Later than any time that a reporter tells. */
const NOW = Infinity;

/** One `trace_id` within the thread. */
export class RunModel {
  readonly attempts = [new AttemptModel()];
  /** Every report ever stored, replaced ones too. */
  readonly reports = new Set<string>();
  /** Every ending that ever counted. */
  readonly endings = new Set<string>();
  /** The last of them. */
  lastEnding: { text: string; second: number | null; tokens: number | null } | null = null;
  status = 'in_progress';
  /** When the run last made progress; 0 is never. */
  progress = 0;
  /** When the current attempt began, where its reporter told. */
  attemptSecond: number | null = null;
  /** How each attempt ended that others have followed. */
  readonly outcomes: string[] = [];
  mark: MarkModel | null = null;
  /** Retries that have no attempt among the steps. */
  private extraAttempts = 0;
  /** Nothing was reported since the last retry. */
  private isRetryOpen = false;

  constructor(
    readonly trace: string,
    readonly agent: string,
    public parent: string | null,
    readonly isTopLevel: boolean,
  ) {}

  get attempt(): AttemptModel {
    const last = this.attempts.at(-1);
    if (!last) throw new Error('a run has at least one attempt');
    return last;
  }

  get rows(): ExpectedRow[] {
    return this.attempts.flatMap((attempt) => attempt.ordered);
  }

  get latest(): ExpectedRow | undefined {
    return this.rows.at(-1);
  }

  /** The status that stands until it is known what a restart was. */
  get standing(): string {
    return this.mark?.statusBefore ?? this.status;
  }

  /** As people count them. */
  get attemptCount(): number {
    return this.attempts.length + this.extraAttempts;
  }

  /** Some message is known from which the run could start again. */
  get canStartAgain(): boolean {
    return this.attempts.some(({ rows }) => [...rows.values()].some(({ history }) => history.length > 0));
  }

  /** A person ended it, and no start has followed. */
  get isCancelled(): boolean {
    return this.status === 'cancelled' && this.mark === null;
  }

  /** A person has its agent take it up again: like a start now, but it is the next attempt whatever follows. */
  retry(): void {
    this.extraAttempts += 1;
    this.isRetryOpen = true;
    const statusBefore = this.standing;
    this.mark ??= { taken: new Map(), second: NOW, statusBefore, hasId: true };
    this.status = 'in_progress';
    if (this.latest) this.latest.status = this.status;
  }

  /** Something new was reported. @param opensAttempt it is the first step of an attempt, which is that of the retry */
  noteReport(opensAttempt: boolean): void {
    if (this.isRetryOpen && opensAttempt) this.extraAttempts -= 1;
    this.isRetryOpen = false;
  }

  cancel(): void {
    this.noteReport(false);
    this.status = 'cancelled';
    if (this.latest) this.latest.status = this.status;
    this.mark = null;
    this.lastEnding = null;
  }

  /** Ids tell replays from news for certain; without them equal texts are replays. */
  knows(event: ModelEvent): boolean {
    return event.id === undefined && event.step !== null && this.reports.has(event.data);
  }

  /** An ending came again: where only a restart came between, the run is what it was. */
  restore(): void {
    if (!this.mark || !isAtRest(this.mark.statusBefore)) return;
    this.status = this.mark.statusBefore;
    if (this.latest) this.latest.status = this.status;
    this.mark = null;
  }

  openAttempt(second: number | undefined): void {
    const taken = this.mark?.taken ?? [];
    this.attemptSecond = this.mark?.second ?? second ?? this.attemptSecond;
    this.outcomes.push(this.standing);
    this.attempts.push(new AttemptModel());
    this.mark = null;
    for (const [step, row] of taken) this.attempt.rows.set(step, { ...row });
  }
}

export function rowOf(event: ModelEvent, trace: string, step: number): ExpectedRow {
  const { agent, status, history, turnStart, data } = event;
  return { trace, agent, step, status, history, turnStart, tokens: event.tokens ?? 0, data };
}
