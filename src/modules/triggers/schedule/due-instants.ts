import type { CatchUpPolicy } from '../definition/definition.js';
import type { FiringReason } from './firing.entity.js';

/** An instant is on time for its whole minute: a restart within it loses nothing. */
const ON_TIME_MS = 60_000;

export interface Decision {
  readonly dueMs: number;
  readonly state: 'waiting' | 'skipped' | 'missed';
  readonly reason: FiringReason | null;
}

export interface CatchUpRule {
  readonly catchUp: CatchUpPolicy;
  /** Null for no limit. */
  readonly maxAgeSeconds: number | null;
}

/**
 * Decides about the instants that became due since the last look, ascending. Those on time fire; the rule decides which late ones, after
 * downtime or a clock jump, are caught up.
 */
export function decideDue(instants: readonly number[], nowMs: number, rule: CatchUpRule): Decision[] {
  const newestMs = instants.at(-1);
  return instants.map((dueMs) => {
    const reason = reasonToMiss(nowMs - dueMs, dueMs === newestMs, rule);
    return { dueMs, state: reason === null ? 'waiting' : 'missed', reason };
  });
}

function reasonToMiss(ageMs: number, isNewest: boolean, { catchUp, maxAgeSeconds }: CatchUpRule): FiringReason | null {
  if (ageMs < ON_TIME_MS) return null;
  if (catchUp === 'none' || (catchUp === 'last' && !isNewest)) return 'downtime';
  return maxAgeSeconds !== null && ageMs > maxAgeSeconds * 1000 ? 'too_old' : null;
}
