import { Injectable } from '@nestjs/common';
import type { UnitOfWork } from '../threads/journal/thread-journal.service.js';
import { ThreadRunsService, type ClaimOfThread, type LeaseState } from '../threads/journal/thread-runs.service.js';
import type { Effect } from './effect.entity.js';
import { doubtOf, type Doubt, type DoubtfulParts, type LeaseFacts } from './effect-rules.js';

/** What decides whether an effect is in doubt. */
export type DoubtfulEffect = Pick<
  Effect,
  DoubtfulParts | 'thread_pk' | 'trace_id' | 'agent' | 'agent_id' | 'lease_trace'
>;

@Injectable()
export class EffectLeasesService {
  constructor(private readonly runs: ThreadRunsService) {}

  /** Whether each effect is in doubt now. */
  async doubtsOf(effects: readonly DoubtfulEffect[], nowMs: number): Promise<Doubt[]> {
    const open = effects.filter(({ state }) => state === 'started');
    const leases = await this.runs.leasesNow(open.map(claimOf), nowMs);
    const leaseOf = new Map(open.map((effect, at) => [effect, leases[at] ?? null]));
    return effects.map((effect) => doubtOf(effect, factsFor(effect, leaseOf.get(effect) ?? null), nowMs));
  }

  /** The same for one effect under the thread's lock. */
  async doubtUnderLock(drafts: UnitOfWork, effect: DoubtfulEffect & Pick<Effect, 'thread_id'>): Promise<Doubt> {
    const lease = await this.runs.leaseUnderLock(drafts, effect.thread_id, claimOf(effect));
    return doubtOf(effect, factsFor(effect, lease), drafts.nowMs);
  }
}

function claimOf({ thread_pk, trace_id, agent, agent_id, lease_trace, fence }: DoubtfulEffect): ClaimOfThread {
  return { threadPk: thread_pk, traceId: trace_id, agent, agentId: agent_id, leaseTrace: lease_trace, fence };
}

function factsFor({ started_at }: Pick<Effect, 'started_at'>, lease: LeaseState | null): LeaseFacts | null {
  if (lease === null) return null;
  const hasLapsed = lease.lapsedAtMs !== null && lease.lapsedAtMs >= started_at;
  return { fence: lease.fence, liveUntilMs: hasLapsed ? null : lease.liveUntilMs };
}
