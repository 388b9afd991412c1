import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Logger } from '../../common/logger.js';
import { PeriodicJob } from '../../common/periodic-job.js';
import type { AccessToken } from './access-token.entity.js';
import { TokensRepository } from './tokens.repository.js';

const INTERVAL_MS = 60_000;
/** How old the stored use of a token may be. */
const STORED_EVERY_MS = 3_600_000;

/** Stores when tokens were used, in the background: no request waits, and a busy token is written once an hour. */
@Injectable()
export class TokenUsesService implements OnApplicationBootstrap, OnModuleDestroy {
  /** By id, in milliseconds since 1970. */
  private readonly unstored = new Map<string, number>();
  private readonly job = new PeriodicJob(
    () => this.store(),
    (error) => this.logger.warn({ err: error }, 'the last uses of tokens could not be stored; retrying'),
  );

  constructor(
    private readonly repository: TokensRepository,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.job.start(INTERVAL_MS);
  }

  /** Stores once more: otherwise a server that runs for less than a minute would forget every use. */
  async onModuleDestroy(): Promise<void> {
    this.job.runNow();
    await this.job.stop();
  }

  note({ id, last_used_at }: Pick<AccessToken, 'id' | 'last_used_at'>): void {
    const nowMs = this.clock.nowMs();
    if (last_used_at === null || last_used_at <= nowMs - STORED_EVERY_MS) this.unstored.set(id, nowMs);
  }

  async store(): Promise<void> {
    if (this.unstored.size === 0) return;
    const uses = [...this.unstored];
    await this.repository.storeUses(uses);
    for (const [id, usedAtMs] of uses) if (this.unstored.get(id) === usedAtMs) this.unstored.delete(id);
  }
}
