import os from 'node:os';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { newId } from '../../common/ids.js';
import { Logger } from '../../common/logger.js';
import { PeriodicJob } from '../../common/periodic-job.js';
import { FEATURES, SharedFeatures } from '../../common/shared-features.js';
import { VERSION } from '../../common/version.js';
import type { Instance } from './instance.entity.js';
import { InstancesRepository } from './instances.repository.js';

const BEAT_MS = 15_000;
const STALE_MS = 4 * BEAT_MS;

/**
 * Maintains the table of running instances: updates its own row every 15 s, deletes those of dead instances, and learns the others'
 * features.
 */
@Injectable()
export class InstancesService implements OnModuleInit, OnModuleDestroy {
  readonly startedAtMs: number;
  private readonly id = newId();
  private readonly beats = new PeriodicJob(
    () => this.beat(),
    (error) => this.logger.warn({ err: error }, 'heartbeat failed'),
  );

  constructor(
    private readonly repository: InstancesRepository,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly features: SharedFeatures,
  ) {
    this.startedAtMs = clock.nowMs();
  }

  async onModuleInit(): Promise<void> {
    await this.beat();
    this.beats.start(BEAT_MS);
  }

  async onModuleDestroy(): Promise<void> {
    await this.beats.stop();
    await this.repository
      .delete(this.id)
      .catch((error: unknown) => this.logger.warn({ err: error }, 'instance row not removed'));
  }

  /** @throws DomainError `unavailable` if the storage does not answer */
  async list(): Promise<Instance[]> {
    return this.repository.list();
  }

  private async beat(): Promise<void> {
    const nowMs = this.clock.nowMs();
    const row = {
      id: this.id,
      host: os.hostname(),
      pid: process.pid,
      version: VERSION,
      features: FEATURES.join(' '),
      started_at: this.startedAtMs,
      last_seen: nowMs,
    };
    await this.repository.beat(row, nowMs - STALE_MS);
    const others = (await this.repository.list()).filter(({ id }) => id !== this.id);
    this.features.learn([row, ...others].map(({ features }) => features));
  }
}
