import { Injectable } from '@nestjs/common';
import type { UnitOfWork } from '../../threads/journal/thread-journal.service.js';
import type { LockedRun } from '../../threads/journal/thread-runs.service.js';
import type { Effect } from './effect.entity.js';
import { doubtOf, type Doubt, type DoubtfulParts, type LeaseFacts } from './effect-rules.js';

/** The lease under which a claim is made. */
export interface ClaimLease {
  /** The run whose lease counts: the claim's own or one above it. */
  traceId: string;
  /** Null where no such run was ever leased. */
  facts: LeaseFacts | null;
  /** The claim names a fence that is not the current one, or none where one is needed. */
  isStale: boolean;
}

/** What a doubt depends on. */
export type DoubtfulEffect = Pick<Effect, DoubtfulParts | 'thread_pk' | 'lease_trace'>;

/** What leases mean for effects. */
@Injectable()
export class EffectLeasesService {
  /** @param fence that the claim names, or its token */
  async atClaim(_drafts: UnitOfWork, { traceId }: LockedRun, fence: number | null): Promise<ClaimLease> {
    return { traceId, facts: null, isStale: fence !== null };
  }

  /** Whether each of the effects is in doubt now. */
  async doubtsOf(effects: readonly DoubtfulEffect[], nowMs: number): Promise<Doubt[]> {
    return effects.map((effect) => doubtOf(effect, null, nowMs));
  }

  /** The same for one effect under the thread's lock. */
  async doubtUnderLock(_drafts: UnitOfWork, effect: DoubtfulEffect, nowMs: number): Promise<Doubt> {
    return doubtOf(effect, null, nowMs);
  }
}
