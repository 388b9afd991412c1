import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { Logger } from '../../../common/logger.js';
import { PeriodicJob } from '../../../common/periodic-job.js';
import { NoticesRepository } from '../notices.repository.js';
import { AgentLooksService, SILENT_MS } from './agent-looks.service.js';
import { DoubtLooksService } from './doubt-looks.service.js';

const INTERVAL_MS = 15_000;
/** After a longer gap between looks, this server was asleep or too busy to hear heartbeats. */
const GAP_MS = 60_000;

/** Looks for news without a commit: effects that become doubtful, agents that fall silent or come back. Exactly one server reports each. */
@Injectable()
export class NoticeLooksService implements OnApplicationBootstrap, OnModuleDestroy {
  /** Since when heartbeats were heard without a gap, by the clock. */
  private watchedSinceMs = Infinity;
  private lastLookMs = -Infinity;
  private readonly looks = new PeriodicJob(
    () => this.look(),
    (error) => this.logger.warn({ err: error }, 'doubts and silent agents could not be checked; retrying'),
  );

  constructor(
    private readonly notices: NoticesRepository,
    private readonly doubts: DoubtLooksService,
    private readonly agents: AgentLooksService,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.looks.start(INTERVAL_MS);
  }

  async onModuleDestroy(): Promise<void> {
    await this.looks.stop();
  }

  /** Reports what is new since any server's last look. */
  async look(): Promise<void> {
    const nowMs = this.clock.nowMs();
    const gapMs = nowMs - this.lastLookMs;
    if (gapMs > GAP_MS || gapMs < 0) this.watchedSinceMs = nowMs;
    this.lastLookMs = nowMs;
    if (await this.notices.isWanted('effect_in_doubt')) await this.doubts.look(nowMs);
    if (!(await this.notices.isWanted('agent_offline', 'agent_online'))) return;
    if (nowMs - this.watchedSinceMs >= SILENT_MS) await this.agents.lookForSilent(nowMs);
    await this.agents.lookForReturned(nowMs);
  }
}
