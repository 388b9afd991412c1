import { isAtRest, type ModelEvent } from './model-event.js';

/** A stored checkpoint as it must read back. */
export interface ExpectedRow {
  trace: string;
  agent: string;
  step: number;
  /** Null if the contract leaves it open: for the latest checkpoint between a repeated start and what follows. */
  status: string | null;
  history: readonly string[];
  turnStart: number;
  tokens: number;
  data: string;
}

/** One pass over the steps of a run. */
export class AttemptModel {
  readonly rows = new Map<number, ExpectedRow>();
  /** The row created by `thread_started`, until the first checkpoint replaces it. */
  initial: ExpectedRow | null = null;

  get highest(): number {
    return Math.max(-1, ...this.rows.keys());
  }

  get ordered(): ExpectedRow[] {
    const rows = [...this.rows.values()].sort((a, b) => a.step - b.step);
    return rows.length === 0 && this.initial ? [this.initial] : rows;
  }
}

/** A run was started again, and no news since has shown whether this was a replay. */
export interface MarkModel {
  /** Steps replayed since. */
  taken: Map<number, ExpectedRow>;
  second: number | null;
  statusBefore: string;
  hasId: boolean;
}

/** Later than any reported time. */
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
  /** When the run last made progress; 0 for never. */
  progress = 0;
  /** When the current attempt began, if its reporter sent the time. */
  attemptSecond: number | null = null;
  /** How each earlier attempt ended. */
  readonly outcomes: string[] = [];
  mark: MarkModel | null = null;
  /** Retries without an attempt among the steps. */
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

  /** The status that holds until it is known what a restart was. */
  get standing(): string {
    return this.mark?.statusBefore ?? this.status;
  }

  /** The number of attempts that people see. */
  get attemptCount(): number {
    return this.attempts.length + this.extraAttempts;
  }

  /** Some message is known from which the run could start again. */
  get canStartAgain(): boolean {
    return this.attempts.some(({ rows }) => [...rows.values()].some(({ history }) => history.length > 0));
  }

  /** A person cancelled it, and no start has followed. */
  get isCancelled(): boolean {
    return this.status === 'cancelled' && this.mark === null;
  }

  /** A person retries it: like a start now, but always the next attempt. */
  retry(): void {
    this.extraAttempts += 1;
    this.isRetryOpen = true;
    const statusBefore = this.standing;
    this.mark ??= { taken: new Map(), second: NOW, statusBefore, hasId: true };
    this.status = 'in_progress';
    if (this.latest) this.latest.status = this.status;
  }

  /** Something new was reported. @param opensAttempt it is the first step of an attempt, which is then the retry's */
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

  /** Ids distinguish replays from news for certain; without them, equal texts are replays. */
  knows(event: ModelEvent): boolean {
    return event.id === undefined && event.step !== null && this.reports.has(event.data);
  }

  /** An ending came again: if only a restart came in between, the run returns to its earlier state. */
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
