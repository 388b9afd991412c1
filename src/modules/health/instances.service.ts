import os from 'node:os';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { newId } from '../../common/ids.js';
import { Logger } from '../../common/logger.js';
import { VERSION } from '../../common/version.js';
import type { Instance } from './instance.entity.js';
import { InstancesRepository } from './instances.repository.js';

const BEAT_MS = 15_000;
const STALE_MS = 4 * BEAT_MS;

/** Keeps the table of running instances: this one's row by a beat every 15 s, and no rows of those that died. */
@Injectable()
export class InstancesService implements OnModuleInit, OnModuleDestroy {
  readonly startedAtMs: number;
  private readonly id = newId();
  private timer?: NodeJS.Timeout;
  private beating?: Promise<void>;

  constructor(
    private readonly repository: InstancesRepository,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    this.startedAtMs = clock.nowMs();
  }

  async onModuleInit(): Promise<void> {
    await this.beat();
    this.timer = setInterval(() => this.beatQuietly(), BEAT_MS).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.beating;
    await this.repository
      .delete(this.id)
      .catch((error: unknown) => this.logger.warn({ err: error }, 'instance not signed off'));
  }

  /** @throws DomainError `unavailable` when the storage does not answer. */
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
      started_at: this.startedAtMs,
      last_seen: nowMs,
    };
    await this.repository.beat(row, nowMs - STALE_MS);
  }

  /** A beat that fails is made up for by the next; a slow one is not piled upon. */
  private beatQuietly(): void {
    this.beating ??= this.beat()
      .catch((error: unknown) => this.logger.warn({ err: error }, 'heartbeat failed'))
      .finally(() => (this.beating = undefined));
  }
}
