import * as fc from 'fast-check';
import type { Effect } from './effect.entity.js';
import {
  decideClaim,
  decideSettling,
  doubtOf,
  OUTCOMES,
  type ApprovalVerdict,
  type SettlingWords,
} from './effect-rules.js';

const NOW = 1_000_000;

/** The parts of a newly claimed effect that the rules read. */
const EFFECT = {
  ...{ tool: 'refund', args_digest: 'd', state: 'started', is_leased: false, fence: null, is_unknown: false },
  ...{ is_met: false, started_at: NOW, doubt_after_seconds: 300, settled_by: null, result: null },
  ...{ result_omitted: false, error: null },
} as Effect;

type Step =
  | { do: 'claim'; claimId: string | null; approval: ApprovalVerdict | null; isFenceStale: boolean; tool: string }
  | { do: 'settle'; back: number; outcome: SettlingWords['outcome']; result: string | null; by: SettlingWords['by'] };

/** One claim that got 201, and everything reported about it, in order. */
interface Told {
  claimId: string | null;
  said: { outcome: SettlingWords['outcome']; result: string | null; by: SettlingWords['by'] }[];
}

/** The ledger by its promises: keeps the whole story and derives the state from it. */
class Story {
  readonly told: Told[] = [];
  private isDoubted = false;

  constructor(private readonly kind: Effect['kind']) {}

  claim({ claimId, approval, isFenceStale, tool }: Extract<Step, { do: 'claim' }>): string {
    if (isFenceStale) return 'stale_fence';
    if (this.told.length > 0 && tool !== 'refund') return 'effect_mismatch';
    const verdicts = {
      pending: 'approval_pending',
      rejected: 'effect_rejected',
      superseded: 'approval_superseded',
      other_args: 'effect_not_approved',
      other_tool: 'effect_not_approved',
    };
    if (approval !== null && approval !== 'approved') return verdicts[approval];
    const [last, end] = [this.told.at(-1), this.end];
    if (end?.outcome === 'completed') return 'completed';
    const isSame = last !== undefined && claimId !== null && last.claimId === claimId;
    if (isSame) return end ? 'effect_settled' : 'repeat';
    if (last && !end && this.kind === 'write') {
      this.isDoubted = true;
      return 'effect_in_doubt';
    }
    this.told.push({ claimId, said: [] });
    this.isDoubted = false;
    return `start ${this.told.length}`;
  }

  settle({ back, outcome, result, by }: Extract<Step, { do: 'settle' }>): string {
    if (back > 0) return 'stale_attempt';
    const { end } = this;
    const { said } = this.told.at(-1)!;
    if (!end) {
      if (outcome === 'unknown') this.isDoubted = true;
      else said.push({ outcome, result, by });
      return 'ok';
    }
    if (end.outcome === outcome && (result === null || result === end.result)) return 'ok';
    const ranks = { other: 0, holder: 1, claim: 2 };
    const isBetter = ranks[by] > ranks[end.by] && outcome === 'completed';
    if (!isBetter || (end.outcome === 'completed' && end.result !== null)) return 'effect_settled';
    said.push({ outcome, result, by });
    return 'ok';
  }

  /** The last accepted report. */
  get end(): Told['said'][number] | undefined {
    return this.told.at(-1)?.said.at(-1);
  }

  get isInDoubt(): boolean {
    return this.kind === 'write' && this.told.length > 0 && !this.end && this.isDoubted;
  }
}

/** The ledger by the rules: one row. */
class Ledger {
  row: Effect | null = null;

  constructor(private readonly kind: Effect['kind']) {}

  get isInDoubt(): boolean {
    return this.row !== null && doubtOf(this.row, null, NOW).isInDoubt;
  }

  claim({ claimId, approval, isFenceStale, tool }: Extract<Step, { do: 'claim' }>): string {
    const { kind, isInDoubt } = this;
    const call = { tool: this.row ? tool : 'refund', kind, argsDigest: 'd' };
    const decision = decideClaim(this.row, call, { claimId, isFenceStale, approval, isInDoubt });
    if (decision.outcome === 'refuse') {
      if (decision.meets) this.row = { ...this.row!, is_met: true };
      return decision.code;
    }
    if (decision.outcome !== 'start') return decision.outcome;
    this.row = { ...EFFECT, kind, attempt: decision.attempt, claim_id: claimId };
    return `start ${decision.attempt}`;
  }

  settle({ back, ...words }: Extract<Step, { do: 'settle' }>): string {
    const row = this.row!;
    const said = { resultOmitted: false, error: null, ...words, attempt: row.attempt - back };
    const decision = decideSettling(row, said, (one, other) => one === other);
    if (decision.outcome === 'refuse') return decision.code;
    if (decision.outcome === 'doubt') this.row = { ...row, is_unknown: true };
    if (decision.outcome === 'settle') {
      this.row = { ...row, state: decision.state, result: words.result, settled_by: words.by };
    }
    return 'ok';
  }
}

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('claim' as const),
    claimId: fc.constantFrom('c1', 'c2', 'c3', null),
    approval: fc.constantFrom<ApprovalVerdict | null>(
      null,
      null,
      null,
      null,
      'approved',
      'pending',
      'rejected',
      'superseded',
      'other_args',
    ),
    isFenceStale: fc.constantFrom(false, false, false, false, true),
    tool: fc.constantFrom('refund', 'refund', 'refund', 'refund', 'other'),
  }),
  fc.record({
    do: fc.constant('settle' as const),
    back: fc.constantFrom(0, 0, 0, 1),
    outcome: fc.constantFrom(...OUTCOMES),
    result: fc.constantFrom(null, '1', '2'),
    by: fc.constantFrom('claim' as const, 'holder' as const, 'other' as const),
  }),
);

describe('Whatever claims and settlings come', () => {
  it('the ledger keeps what its story says', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('write' as const, 'idempotent' as const),
        fc.array(steps, { maxLength: 30 }),
        (kind, all) => {
          const [story, ledger] = [new Story(kind), new Ledger(kind)];
          for (const step of all) {
            if (step.do === 'settle' && ledger.row === null) continue;
            const expected = step.do === 'claim' ? story.claim(step) : story.settle(step);
            expect(step.do === 'claim' ? ledger.claim(step) : ledger.settle(step)).toBe(expected);
            expect(ledger.isInDoubt).toBe(story.isInDoubt);
            expect(ledger.row?.state ?? 'none').toBe(
              story.end?.outcome ?? (story.told.length > 0 ? 'started' : 'none'),
            );
            expect(ledger.row?.result ?? null).toBe(story.end?.result ?? null);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
