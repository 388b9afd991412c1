import type { CatchUpPolicy } from '../definition/definition.js';
import type { FiringReason } from './firing.entity.js';

/** For as long as its minute lasts an instant is on time: a process that was restarted within it has lost nothing. */
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
 * Decides about the instants that have become due since the last look, ascending. What is on time is fired; of what is late,
 * because the process was not there or the clock has jumped, the rule says what is made up for.
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
