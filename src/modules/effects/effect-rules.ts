import type { Effect, EffectKind, EffectState, SettledBy } from './effect.entity.js';

/** The lease that counts for a run. */
export interface LeaseFacts {
  fence: number;
  /** When it ends; null if it is over: released, expired, or with an implausible time. */
  liveUntilMs: number | null;
}

/** Whether an effect is in doubt, and when it will be if nothing happens; null for never. */
export interface Doubt {
  isInDoubt: boolean;
  dueMs: number | null;
}

export type DoubtfulParts =
  'state' | 'kind' | 'is_unknown' | 'is_met' | 'is_leased' | 'fence' | 'started_at' | 'doubt_after_seconds';

const NO_DOUBT: Doubt = { isInDoubt: false, dueMs: null };
const IN_DOUBT: Doubt = { isInDoubt: true, dueMs: null };

/**
 * A started `write` is in doubt if its holder does not know the outcome; if another process may drive its run by now; or, if it was claimed
 * without a lease, once another claim met it or it takes too long. The same for everybody who asks.
 * @param lease the one that counts for its run now; null if none was ever given, or the claim's is gone
 */
export function doubtOf(effect: Pick<Effect, DoubtfulParts>, lease: LeaseFacts | null, nowMs: number): Doubt {
  if (effect.state !== 'started' || effect.kind !== 'write') return NO_DOUBT;
  if (effect.is_unknown || effect.is_met || (lease?.fence ?? null) !== effect.fence) return IN_DOUBT;
  const dueMs = effect.is_leased ? (lease?.liveUntilMs ?? 0) : effect.started_at + effect.doubt_after_seconds * 1000;
  return dueMs <= nowMs ? IN_DOUBT : { isInDoubt: false, dueMs };
}

export type ApprovalVerdict = 'pending' | 'rejected' | 'superseded' | 'other_args' | 'other_tool' | 'approved';

/** What must be equal in every claim of a key. */
export interface ClaimedCall {
  tool: string;
  kind: EffectKind;
  argsDigest: string;
}

/** What decides a claim besides the effect itself. */
export interface ClaimFacts {
  claimId: string | null;
  /** It names an outdated fence, or none although one is needed. */
  isFenceStale: boolean;
  /** Null if the claim names no call of an approval. */
  approval: ApprovalVerdict | null;
  isInDoubt: boolean;
}

export type ClaimRefusal =
  | 'stale_fence'
  | 'effect_mismatch'
  | 'approval_pending'
  | 'effect_rejected'
  | 'approval_superseded'
  | 'effect_not_approved'
  | 'effect_in_flight'
  | 'effect_in_doubt'
  | 'effect_settled';

export type ClaimDecision =
  /** Run the tool, as this attempt. */
  | { outcome: 'start'; attempt: number }
  /** The same response again. */
  | { outcome: 'repeat' }
  /** Do not run it: here is its result. */
  | { outcome: 'completed' }
  /** `meets`: it is in doubt from now on, because nothing else tells the two claims apart. */
  | { outcome: 'refuse'; code: ClaimRefusal; meets: boolean };

const REFUSAL_OF: Record<Exclude<ApprovalVerdict, 'approved'>, ClaimRefusal> = {
  pending: 'approval_pending',
  rejected: 'effect_rejected',
  superseded: 'approval_superseded',
  other_args: 'effect_not_approved',
  other_tool: 'effect_not_approved',
};

type ClaimedParts = 'tool' | 'kind' | 'args_digest' | 'state' | 'attempt' | 'claim_id' | 'is_leased';

/** The order of the checks is part of the contract: fence, mismatch, approval, state. */
export function decideClaim(
  effect: Pick<Effect, ClaimedParts> | null,
  call: ClaimedCall,
  { claimId, isFenceStale, approval, isInDoubt }: ClaimFacts,
): ClaimDecision {
  if (isFenceStale) return refuse('stale_fence');
  if (effect && differences(effect, call).length > 0) return refuse('effect_mismatch');
  if (approval !== null && approval !== 'approved') return refuse(REFUSAL_OF[approval]);
  if (!effect) return { outcome: 'start', attempt: 1 };
  const isRepeated = claimId !== null && effect.claim_id === claimId;
  if (effect.state === 'completed') return { outcome: 'completed' };
  if (effect.state !== 'started') {
    // A late repetition of a claim must not begin an attempt that nobody runs.
    return isRepeated ? refuse('effect_settled') : { outcome: 'start', attempt: effect.attempt + 1 };
  }
  if (isRepeated) return { outcome: 'repeat' };
  if (effect.kind === 'idempotent') return { outcome: 'start', attempt: effect.attempt + 1 };
  const meets = !effect.is_leased && !isInDoubt;
  return { outcome: 'refuse', code: isInDoubt || meets ? 'effect_in_doubt' : 'effect_in_flight', meets };
}

/** What differs from the previous claim. */
export function differences(effect: Pick<Effect, 'tool' | 'kind' | 'args_digest'>, call: ClaimedCall): string[] {
  const names: string[] = [];
  if (effect.tool !== call.tool) names.push('tool');
  if (effect.kind !== call.kind) names.push('kind');
  if (effect.args_digest !== call.argsDigest) names.push('args');
  return names;
}

export const OUTCOMES = ['completed', 'failed', 'not_done', 'unknown'] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** What somebody reports about an attempt. */
export interface SettlingWords {
  attempt: number;
  outcome: Outcome;
  /** Exact JSON, otherwise null. */
  result: string | null;
  resultOmitted: boolean;
  /** Exact JSON, otherwise null. */
  error: string | null;
  by: SettledBy;
}

export type SettlingDecision =
  | { outcome: 'settle'; state: EffectState }
  /** In doubt from now on. */
  | { outcome: 'doubt' }
  | { outcome: 'repeat' }
  | { outcome: 'refuse'; code: 'stale_attempt' | 'effect_settled' };

type SettledParts = 'state' | 'attempt' | 'is_unknown' | 'settled_by' | 'result' | 'result_omitted' | 'error';

/** @param isEqual whether two exact texts are the same JSON value */
export function decideSettling(
  effect: Pick<Effect, SettledParts>,
  words: SettlingWords,
  isEqual: (one: string, other: string) => boolean,
): SettlingDecision {
  if (words.attempt !== effect.attempt) return { outcome: 'refuse', code: 'stale_attempt' };
  if (effect.state === 'started') {
    if (words.outcome !== 'unknown') return { outcome: 'settle', state: words.outcome };
    return effect.is_unknown ? { outcome: 'repeat' } : { outcome: 'doubt' };
  }
  if (words.outcome === effect.state) {
    const isSame = isSameOrAbsent(effect.result, words.result) && isSameOrAbsent(effect.error, words.error);
    if (isSame) return { outcome: 'repeat' };
    // Others could only say that it happened; the holder brings the result.
    if (words.outcome === 'completed' && isMoreThan(effect, words)) return { outcome: 'settle', state: 'completed' };
  }
  if (words.outcome === 'completed' && effect.state !== 'completed' && knowsBetter(effect.settled_by, words.by)) {
    return { outcome: 'settle', state: 'completed' };
  }
  return { outcome: 'refuse', code: 'effect_settled' };

  function isSameOrAbsent(kept: string | null, said: string | null): boolean {
    return said === null || (kept !== null && isEqual(kept, said));
  }
}

function isMoreThan(effect: Pick<Effect, SettledParts>, { by }: SettlingWords): boolean {
  return effect.result === null && !effect.result_omitted && knowsBetter(effect.settled_by, by);
}

/** The holder knows what it did; one that names its claim certainly is the holder. */
function knowsBetter(before: SettledBy | null, now: SettledBy): boolean {
  return (now !== 'other' && before === 'other') || (now === 'claim' && before === 'holder');
}

function refuse(code: ClaimRefusal): ClaimDecision {
  return { outcome: 'refuse', code, meets: false };
}
