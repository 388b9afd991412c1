import { Injectable } from '@nestjs/common';
import type { UnitOfWork } from '../../threads/journal/thread-journal.service.js';
import { ThreadRunsService, type LeaseState } from '../../threads/journal/thread-runs.service.js';
import type { Effect } from './effect.entity.js';
import { doubtOf, type Doubt, type DoubtfulParts, type LeaseFacts } from './effect-rules.js';

/** What a doubt depends on. */
export type DoubtfulEffect = Pick<Effect, DoubtfulParts | 'thread_pk' | 'lease_trace'>;

/** What leases mean for effects. */
@Injectable()
export class EffectLeasesService {
  constructor(private readonly runs: ThreadRunsService) {}

  /** Whether each of the effects is in doubt now. */
  async doubtsOf(effects: readonly DoubtfulEffect[], nowMs: number): Promise<Doubt[]> {
    const open = effects.filter(({ state }) => state === 'started');
    const traces = open.map(({ thread_pk, lease_trace }) => ({ threadPk: thread_pk, traceId: lease_trace }));
    const leases = new Map((await this.runs.leasesOf(traces, nowMs)).map((own, at) => [open[at]!, own]));
    return effects.map((effect) => doubtOf(effect, factsFor(effect, leases.get(effect) ?? []), nowMs));
  }

  /** The same for one effect under the thread's lock. */
  async doubtUnderLock(drafts: UnitOfWork, effect: DoubtfulEffect & Pick<Effect, 'thread_id'>): Promise<Doubt> {
    const leases = await this.runs.locked(drafts, effect.thread_id, effect.lease_trace);
    return doubtOf(effect, factsFor(effect, leases), drafts.nowMs);
  }
}

/** Of the lease under which the effect was claimed; where that is not there any more, of the one that came since. */
function factsFor(
  { fence, started_at }: Pick<Effect, 'fence' | 'started_at'>,
  leases: readonly LeaseState[],
): LeaseFacts | null {
  const lease = leases.find((one) => one.fence === fence) ?? leases.at(-1);
  if (!lease) return null;
  const hasLapsed = lease.lapsedAtMs !== null && lease.lapsedAtMs >= started_at;
  return { fence: lease.fence, liveUntilMs: hasLapsed ? null : lease.liveUntilMs };
}
