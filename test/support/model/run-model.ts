import type { ModelEvent } from './model-event.js';

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
  /** The terminal event of this attempt, and the status it set. */
  terminal: { text: string; status: string } | null = null;

  get highest(): number {
    return Math.max(-1, ...this.rows.keys());
  }

  get ordered(): ExpectedRow[] {
    const rows = [...this.rows.values()].sort((a, b) => a.step - b.step);
    return rows.length === 0 && this.initial ? [this.initial] : rows;
  }
}

/** One `trace_id` within the thread. */
export class RunModel {
  readonly attempts = [new AttemptModel()];
  /** Every report ever stored, replaced ones too. */
  readonly reports = new Set<string>();
  readonly terminals = new Set<string>();
  status = 'in_progress';
  /** When the run last made progress; 0 is never. */
  progress = 0;
  /** The steps replayed since a repeated `thread_started`; null without such a mark. */
  mark: Map<number, ExpectedRow> | null = null;
  /** The terminal status that only replays since the mark would bring back; null when there was none or news has come. */
  statusToRestore: string | null = null;

  constructor(
    readonly trace: string,
    readonly agent: string,
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

  /** Ids tell replays from news for certain; without them equal texts are replays. */
  knows(event: ModelEvent): boolean {
    return event.id === undefined && event.step !== null && this.reports.has(event.data);
  }

  openAttempt(): void {
    const taken = this.mark;
    this.attempts.push(new AttemptModel());
    this.mark = null;
    this.statusToRestore = null;
    for (const [step, row] of taken ?? []) this.attempt.rows.set(step, { ...row });
  }
}

export function rowOf(event: ModelEvent, trace: string, step: number): ExpectedRow {
  const { agent, status, history, turnStart, data } = event;
  return { trace, agent, step, status, history, turnStart, tokens: event.tokens ?? 0, data };
}
