import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { Clock } from '../../../common/clock.js';
import { Logger } from '../../../common/logger.js';
import { PeriodicJob } from '../../../common/periodic-job.js';
import { Definition } from '../definition/definition.js';
import { FiringsService } from './firings.service.js';
import { ScheduledTrigger } from './scheduled-trigger.js';

/**
 * A look at least once a second: a timer does not notice that the clock was set or the machine slept, and none of more than
 * 24 days can be had.
 */
const LOOK_MS = 1_000;
const DAY_MS = 86_400_000;

/** Fires the schedules of the definition file. Their timers stand in the registry under their paths. */
@Injectable()
export class ScheduleService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly triggers: ScheduledTrigger[];
  private readonly looks = new Set<Promise<void>>();
  private readonly tidying = new PeriodicJob(
    () => this.tidy(),
    (error) => this.complain(error),
  );
  private isStopped = false;

  constructor(
    definition: Definition,
    private readonly firings: FiringsService,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly registry: SchedulerRegistry,
  ) {
    this.triggers = definition.schedules.map((trigger) => new ScheduledTrigger(trigger, firings, clock));
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.tidy();
    for (const trigger of this.triggers) await trigger.open();
    for (const trigger of this.triggers) this.arm(trigger);
    this.tidying.start(DAY_MS);
  }

  async onModuleDestroy(): Promise<void> {
    this.isStopped = true;
    for (const { trigger } of this.triggers) {
      if (this.registry.doesExist('timeout', trigger.path)) this.registry.deleteTimeout(trigger.path);
    }
    await Promise.all([...this.looks, this.tidying.stop()]);
    await Promise.all(this.triggers.map((trigger) => trigger.stop()));
  }

  private arm(trigger: ScheduledTrigger): void {
    if (this.isStopped) return;
    const { path } = trigger.trigger;
    const untilDueMs = (trigger.nextDueMs ?? Infinity) - this.clock.nowMs();
    const timer = setTimeout(() => this.onTimer(trigger), Math.min(Math.max(untilDueMs, 1), LOOK_MS)).unref();
    if (this.registry.doesExist('timeout', path)) this.registry.deleteTimeout(path);
    this.registry.addTimeout(path, timer);
  }

  private onTimer(trigger: ScheduledTrigger): void {
    const look = trigger
      .look()
      .catch((error: unknown) => this.complain(error))
      .finally(() => {
        this.looks.delete(look);
        this.arm(trigger);
      });
    this.looks.add(look);
  }

  private tidy(): Promise<void> {
    return this.firings.tidy(this.triggers.map(({ trigger }) => trigger));
  }

  private complain(error: unknown): void {
    this.logger.warn({ err: error }, 'schedules could not be checked; retrying');
  }
}
