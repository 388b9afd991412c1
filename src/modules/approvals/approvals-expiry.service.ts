import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { CLOCK_TOLERANCE_MS } from '../../common/clock-jumps.js';
import { Clock } from '../../common/clock.js';
import { Logger } from '../../common/logger.js';
import { PeriodicJob } from '../../common/periodic-job.js';
import type { Approval } from './approval.entity.js';
import { ApprovalsRepository } from './approvals.repository.js';
import { ApprovalsService } from './approvals.service.js';

const INTERVAL_MS = 1_000;
const BATCH = 100;

/** Closes approvals whose time is up, also after downtime. Several servers may do the same work without harm. */
@Injectable()
export class ApprovalsExpiryService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly looks = new PeriodicJob(
    () => this.look(),
    (error) => this.logger.warn({ err: error }, 'expired approvals could not be looked up; retrying'),
  );

  constructor(
    private readonly approvals: ApprovalsRepository,
    private readonly service: ApprovalsService,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.looks.start(INTERVAL_MS);
  }

  async onModuleDestroy(): Promise<void> {
    await this.looks.stop();
  }

  /** Closes all due approvals and returns their number. A failed one is retried at the next look and does not stop the others. */
  sweep(): Promise<number> {
    return this.handleAll(
      (nowMs) => this.approvals.findExpired(nowMs, BATCH),
      (approval) => this.expire(approval),
    );
  }

  /** Sends all due reminders and returns their number. */
  remind(): Promise<number> {
    return this.handleAll(
      (nowMs) => this.approvals.findReminders(nowMs, BATCH),
      (approval) => this.remindOf(approval),
    );
  }

  private async handleAll(
    find: (nowMs: number) => Promise<Approval[]>,
    handle: (approval: Approval) => Promise<boolean>,
  ): Promise<number> {
    let count = 0;
    for (;;) {
      const due = await find(this.clock.nowMs());
      const closed = await Promise.all(due.map((approval) => handle(approval)));
      count += closed.filter(Boolean).length;
      if (due.length < BATCH || !closed.includes(true) || this.looks.isStopped) return count;
    }
  }

  /** Approvals opened while the clock was ahead would expire too late, so their timeouts restart now. */
  async correct(): Promise<void> {
    const nowMs = this.clock.nowMs();
    const latestMs = nowMs + CLOCK_TOLERANCE_MS;
    if (!(await this.approvals.hasExpiringOpenedAfter(latestMs))) return;
    await this.approvals.restartTimeouts(latestMs, nowMs);
    this.logger.warn('approvals were opened while the clock was ahead; their timeouts start now');
  }

  private async expire(approval: Approval): Promise<boolean> {
    const { thread_id, trace_id, step_index } = approval;
    try {
      if (await this.service.expire(approval))
        this.logger.info({ thread_id, trace_id, step_index }, 'approval expired');
      return true;
    } catch (error) {
      this.logger.warn({ err: error, thread_id, trace_id, step_index }, 'approval could not be expired; retrying');
      return false;
    }
  }

  private async remindOf(approval: Approval): Promise<boolean> {
    const { thread_id, trace_id, step_index } = approval;
    try {
      return await this.service.remind(approval);
    } catch (error) {
      this.logger.warn(
        { err: error, thread_id, trace_id, step_index },
        'nobody could be reminded of an approval; retrying',
      );
      return false;
    }
  }

  private async look(): Promise<void> {
    await this.correct();
    await this.sweep();
    await this.remind();
  }
}
