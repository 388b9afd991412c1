import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import {
  ThreadDetailService,
  type RunSupplement,
  type SupplementedRun,
} from '../threads/detail/thread-detail.service.js';
import { runOf } from './effect-identity.js';
import { EffectLeasesService } from './effect-leases.service.js';
import { effectSummary } from './effect-view.js';
import { EffectsRepository } from './effects.repository.js';

/** Adds its effects to each run of a thread's detail. */
@Injectable()
export class RunEffectsService implements RunSupplement, OnModuleInit {
  readonly name = 'effects';

  constructor(
    private readonly effects: EffectsRepository,
    private readonly leases: EffectLeasesService,
    private readonly details: ThreadDetailService,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.details.addSupplement(this);
  }

  async of(threadPk: number, runs: readonly SupplementedRun[]): Promise<ReadonlyMap<number, string>> {
    const effects = await this.effects.summariesOf(threadPk);
    const doubts = await this.leases.doubtsOf(effects, this.clock.nowMs());
    const byRun = new Map<number, unknown[]>();
    for (const [at, effect] of effects.entries()) {
      const run = runOf(effect, runs);
      if (!run) continue;
      const own = byRun.get(run.run_no) ?? [];
      own.push(effectSummary(effect, doubts[at]!.isInDoubt));
      byRun.set(run.run_no, own);
    }
    return new Map([...byRun].map(([runNo, own]) => [runNo, JSON.stringify(own)]));
  }
}
