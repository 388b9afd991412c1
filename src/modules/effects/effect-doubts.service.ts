import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { CachedReading, STORAGE_READING_MS } from '../../common/metrics/cached-reading.js';
import { Metrics } from '../../common/metrics/metrics.js';
import { ApprovalsStreamService, type WaitingSource } from '../approvals/approvals-stream.service.js';
import { EffectLeasesService } from './effect-leases.service.js';
import { effectJson } from './effect-view.js';
import { ThreadFlagsService } from '../threads/flags/thread-flags.service.js';
import type { EffectDoubts, FlaggedRun } from '../threads/flags/flags.contract.js';
import { runOf } from './effect-identity.js';
import { EffectsRepository, type EffectPosition, type UndecidedEffect } from './effects.repository.js';

/** Started writes examined together. */
const MAX_UNDECIDED = 1_000;

export interface DoubtNews {
  threadPk: number;
  threadId: string;
  traceId: string;
  agentId: string;
  key: string;
  tool: string;
  startedAtMs: number;
}

/** Tells which effects are in doubt, for those who watch approvals, threads or the server. */
@Injectable()
export class EffectDoubtsService implements WaitingSource, EffectDoubts, OnModuleInit {
  readonly opened = 'doubt_opened';
  readonly closed = 'doubt_closed';

  constructor(
    private readonly effects: EffectsRepository,
    private readonly leases: EffectLeasesService,
    private readonly streams: ApprovalsStreamService,
    private readonly flags: ThreadFlagsService,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.streams.addSource(this);
    this.flags.setDoubts(this);
    const reading = new CachedReading(STORAGE_READING_MS, () => this.summarise());
    this.metrics.gauge(
      'waystation_effects_in_doubt',
      'Started effects with an unknown outcome, in the whole storage.',
      async () => {
        const found = await reading.get();
        return found && found.count;
      },
    );
    this.metrics.gauge(
      'waystation_effects_oldest_doubt_seconds',
      'Seconds since the oldest of them was claimed; 0 for none.',
      async () => {
        const found = await reading.get();
        if (found === null) return null;
        return found.oldestMs === null ? 0 : Math.max(0, (this.clock.nowMs() - found.oldestMs) / 1000);
      },
    );
  }

  undecidedSql(threadPk: string): string {
    return this.effects.hasUndecidedSql(threadPk);
  }

  async threadsInDoubt(among: readonly number[] | null): Promise<ReadonlySet<number>> {
    const found = new Set<number>();
    for await (const effects of among === null ? this.allUndecided() : [await this.effects.undecidedOf(among)]) {
      for (const { thread_pk } of await this.thoseInDoubt(effects)) found.add(thread_pk);
    }
    return found;
  }

  async runsInDoubt(threadPk: number, runs: readonly FlaggedRun[]): Promise<ReadonlySet<number>> {
    const inDoubt = await this.thoseInDoubt(await this.effects.undecidedOf([threadPk]));
    return new Set(inDoubt.flatMap((effect) => runOf(effect, runs)?.run_no ?? []));
  }

  async look(): Promise<{ ids: readonly string[]; dueMs: number | null }> {
    const ids: string[] = [];
    let firstDueMs = Infinity;
    for await (const effects of this.allUndecided()) {
      const doubts = await this.leases.doubtsOf(effects, this.clock.nowMs());
      for (const [at, { thread_pk, seq, attempt }] of effects.entries()) {
        const { isInDoubt, dueMs } = doubts[at]!;
        if (isInDoubt) ids.push([thread_pk, seq, attempt].join(':'));
        firstDueMs = Math.min(firstDueMs, dueMs ?? Infinity);
      }
    }
    return { ids, dueMs: firstDueMs === Infinity ? null : firstDueMs };
  }

  /** The news of an effect that `look` found; null if it is gone or no longer in doubt. */
  async newsOf(id: string): Promise<DoubtNews | null> {
    const [threadPk, seq] = id.split(':').map(Number);
    const effect = await this.effects.bySeq(threadPk!, seq!);
    if (effect === null || (await this.thoseInDoubt([effect])).length === 0) return null;
    const { thread_id: threadId, trace_id: traceId, agent_id: agentId, key, tool, started_at } = effect;
    return { threadPk: threadPk!, threadId, traceId, agentId, key, tool, startedAtMs: Number(started_at) };
  }

  async recordOf(id: string): Promise<{ json: string; threadId: string } | null> {
    const [threadPk, seq] = id.split(':').map(Number);
    const effect = await this.effects.bySeq(threadPk!, seq!);
    if (!effect) return null;
    const [doubt] = await this.leases.doubtsOf([effect], this.clock.nowMs());
    return { json: effectJson(effect, doubt!.isInDoubt), threadId: effect.thread_id };
  }

  private async summarise(): Promise<{ count: number; oldestMs: number | null }> {
    let count = 0;
    let oldestMs: number | null = null;
    for await (const effects of this.allUndecided()) {
      const inDoubt = await this.thoseInDoubt(effects);
      count += inDoubt.length;
      oldestMs ??= inDoubt[0]?.started_at ?? null;
    }
    return { count, oldestMs };
  }

  private async *allUndecided(): AsyncGenerator<UndecidedEffect[]> {
    let after: EffectPosition | null = null;
    for (;;) {
      const page: UndecidedEffect[] = await this.effects.undecided(MAX_UNDECIDED, after);
      yield page;
      if (page.length < MAX_UNDECIDED) return;
      const { started_at, thread_pk, seq } = page.at(-1)!;
      after = { time: started_at, thread_pk, seq };
    }
  }

  private async thoseInDoubt(effects: readonly UndecidedEffect[]): Promise<UndecidedEffect[]> {
    const doubts = await this.leases.doubtsOf(effects, this.clock.nowMs());
    return effects.filter((_, at) => doubts[at]!.isInDoubt);
  }
}
