import { isDeepStrictEqual } from 'node:util';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { Clock } from '../../../common/clock.js';
import { Logger } from '../../../common/logger.js';
import { PeriodicJob } from '../../../common/periodic-job.js';
import { Definition, type ScheduleTrigger } from '../definition/definition.js';
import { FiringsService } from './firings.service.js';
import { ScheduledTrigger } from './scheduled-trigger.js';

/** Looks at least once a second: timers notice neither clock changes nor sleep, and cannot exceed 24 days. */
const LOOK_MS = 1_000;
const DAY_MS = 86_400_000;

/** Fires the definition's schedules. Their timers are in the registry under their paths. */
@Injectable()
export class ScheduleService implements OnApplicationBootstrap, OnModuleDestroy {
  private triggers: ScheduledTrigger[];
  private readonly looks = new Set<Promise<void>>();
  private readonly tidying = new PeriodicJob(
    () => this.tidy(),
    (error) => this.logFailure(error),
  );
  private isStopped = false;

  constructor(
    private readonly definition: Definition,
    private readonly firings: FiringsService,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly registry: SchedulerRegistry,
  ) {
    this.triggers = definition.schedules.map((trigger) => this.scheduled(trigger));
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.tidy();
    for (const trigger of this.triggers) await trigger.open();
    for (const trigger of this.triggers) this.arm(trigger);
    this.tidying.start(DAY_MS);
  }

  async onModuleDestroy(): Promise<void> {
    this.isStopped = true;
    for (const { trigger } of this.triggers) this.disarm(trigger.path);
    await Promise.all([...this.looks, this.tidying.stop()]);
    await Promise.all(this.triggers.map((trigger) => trigger.stop()));
  }

  /**
   * Takes over the definition's current schedules. Unchanged ones continue; the ledger tells the others what is due and waiting, so nothing
   * is lost or fired twice.
   */
  async reload(): Promise<void> {
    const same = (one: ScheduleTrigger) => this.triggers.find(({ trigger }) => isDeepStrictEqual(trigger, one));
    const next = this.definition.schedules.map((one) => same(one) ?? this.scheduled(one));
    const gone = this.triggers.filter((trigger) => !next.includes(trigger));
    const added = next.filter((trigger) => !this.triggers.includes(trigger));
    this.triggers = next;
    for (const { trigger } of gone) this.disarm(trigger.path);
    await Promise.all(this.looks);
    await Promise.all(gone.map((trigger) => trigger.stop()));
    for (const trigger of added) await trigger.open();
    for (const trigger of added) this.arm(trigger);
    await this.tidy();
  }

  private scheduled(trigger: ScheduleTrigger): ScheduledTrigger {
    return new ScheduledTrigger(trigger, this.firings, this.clock);
  }

  private disarm(path: string): void {
    if (this.registry.doesExist('timeout', path)) this.registry.deleteTimeout(path);
  }

  private arm(trigger: ScheduledTrigger): void {
    if (this.isStopped || !this.triggers.includes(trigger)) return;
    const { path } = trigger.trigger;
    const untilDueMs = (trigger.nextDueMs ?? Infinity) - this.clock.nowMs();
    const timer = setTimeout(() => this.onTimer(trigger), Math.min(Math.max(untilDueMs, 1), LOOK_MS)).unref();
    this.disarm(path);
    this.registry.addTimeout(path, timer);
  }

  private onTimer(trigger: ScheduledTrigger): void {
    const look = trigger
      .look()
      .catch((error: unknown) => this.logFailure(error))
      .finally(() => {
        this.looks.delete(look);
        this.arm(trigger);
      });
    this.looks.add(look);
  }

  private tidy(): Promise<void> {
    return this.firings.tidy(this.triggers.map(({ trigger }) => trigger));
  }

  private logFailure(error: unknown): void {
    this.logger.warn({ err: error }, 'schedules could not be checked; retrying');
  }
}
