import fc from 'fast-check';
import type { Verb } from '../support/approvals.js';

/** The runs of a scenario: two of one agent, one after the other, and a sub-agent’s. */
export const RUN_AGENTS = ['A', 'A', 'B'] as const;

/** Something that an agent reports or a person decides. Equal reports are equal texts. */
export type Move =
  | { kind: 'report'; run: number; step: number; calls: 'none' | 'refund' | 'mail'; variant: number; turn: number }
  | { kind: 'start'; run: number }
  | { kind: 'end'; run: number; type: 'thread_completed' | 'thread_error' }
  | { kind: 'idle'; run: number }
  | { kind: 'decide'; run: number; step: number; verb: Verb; digestOf: 'refund' | 'mail' | null };

export type Report = Exclude<Move, { kind: 'decide' }>;

/** A decision, or reports that arrive in one batch. */
export type Turn = Report[] | Extract<Move, { kind: 'decide' }>;

export class ApprovalScenario {
  constructor(readonly turns: readonly Turn[]) {}

  /** What a failing test prints. */
  [fc.toStringMethod](): string {
    return this.turns
      .map((turn) => `\n  ${Array.isArray(turn) ? turn.map(outlineOf).join(' | ') : outlineOf(turn)}`)
      .join('');
  }
}

function outlineOf(move: Move): string {
  const { kind, run, ...rest } = move;
  return `${kind} run ${run} ${Object.values(rest).join(' ')}`.trim();
}

const run = fc.nat(RUN_AGENTS.length - 1);
const step = fc.nat(2);

function reports(turns: number): fc.Arbitrary<Report> {
  return fc.record({
    kind: fc.constant('report' as const),
    run,
    step,
    calls: fc.constantFrom('none' as const, 'refund' as const, 'refund' as const, 'mail' as const),
    variant: fc.constantFrom(0, 0, 1),
    turn: fc.nat(turns),
  });
}

const ends: fc.Arbitrary<Report> = fc.record({
  kind: fc.constant('end' as const),
  run,
  type: fc.constantFrom('thread_completed' as const, 'thread_error' as const),
});

const decisions = fc.record({
  kind: fc.constant('decide' as const),
  run,
  step,
  verb: fc.constantFrom('approve' as const, 'approve' as const, 'reject' as const),
  digestOf: fc.constantFrom(null, null, 'refund' as const, 'mail' as const),
});

function scenario(report: fc.Arbitrary<Report>): fc.Arbitrary<ApprovalScenario> {
  const batch = fc.array(report, { minLength: 1, maxLength: 3 });
  const turn = fc.oneof<fc.Arbitrary<Turn>[]>(batch, batch, decisions);
  return fc.array(turn, { minLength: 2, maxLength: 16 }).map((turns) => new ApprovalScenario(turns));
}

/** Steps and ends of runs, nothing that begins a new attempt. */
export const plainScenarios = scenario(fc.oneof({ arbitrary: reports(0), weight: 9 }, { arbitrary: ends, weight: 1 }));

const starts = fc.record({ kind: fc.constant('start' as const), run });
const rests = fc.record({ kind: fc.constant('idle' as const), run });

/** Anything in any order: runs that start again, new turns, steps after the end. */
export const wildScenarios = scenario(
  fc.oneof(
    { arbitrary: reports(1), weight: 9 },
    { arbitrary: ends, weight: 2 },
    { arbitrary: starts, weight: 2 },
    { arbitrary: rests, weight: 1 },
  ),
);
