import { Injectable } from '@nestjs/common';
import { LaneWorker } from '../../../queue/lane-worker.js';
import { WorkLoops } from '../../../queue/work-loop.js';
import type { NoticeDelivery } from '../deliveries/notice-delivery.entity.js';
import type { Notice } from '../notice.entity.js';
import { NoticesRepository } from '../notices.repository.js';
import { NoticeAttemptsService, type Attempt } from './notice-attempts.service.js';
import { NoticeLanes, type NoticeLane, type NoticeRow } from './notice-lanes.js';
import { NoticeOutcomesService } from './notice-outcomes.service.js';

/** Concurrent calls to one receiver. */
const MAX_CALLS = 5;
/** After an internal error. */
const RETRY_MS = 10_000;

/** Sends waiting deliveries: each notice as a lane, at least once, in any order. */
@Injectable()
export class NoticeSenderService extends LaneWorker<NoticeRow> {
  constructor(
    override readonly lanes: NoticeLanes,
    private readonly notices: NoticesRepository,
    private readonly attempts: NoticeAttemptsService,
    private readonly outcomes: NoticeOutcomesService,
    loops: WorkLoops,
  ) {
    super('notices', lanes, attempts.calls, loops);
  }

  /** Continues while something is due. Reads the notice before each delivery, because a person may change it meanwhile. */
  async work(lane: NoticeLane): Promise<number | null> {
    const { id } = lane.row;
    const underWay = new Map<string, Promise<void>>();
    const faults: unknown[] = [];
    let notice = await this.findEnabled(id);
    while (notice !== null && faults.length === 0 && !this.stop.signal.aborted) {
      const free = MAX_CALLS - underWay.size;
      const due = await this.lanes.dueDeliveries(lane, free, new Set(underWay.keys()));
      for (const delivery of due) {
        const done = this.deliver(notice, delivery)
          .catch((error: unknown) => void faults.push(error))
          .finally(() => underWay.delete(delivery.id));
        underWay.set(delivery.id, done);
      }
      if (underWay.size === 0) break;
      await Promise.race(underWay.values());
      notice = await this.findEnabled(id);
    }
    await Promise.all(underWay.values());
    if (faults.length > 0) throw faults[0];
    return this.lanes.settle(lane, notice === null);
  }

  async giveUp(lane: NoticeLane): Promise<void> {
    await this.lanes.retry(lane, RETRY_MS);
  }

  private async findEnabled(id: string): Promise<Notice | null> {
    const notice = await this.notices.find(id);
    return notice?.enabled === true ? notice : null;
  }

  /** A call interrupted by a stop is repeated: the receiver knows it by its id. */
  private async deliver(notice: Notice, delivery: NoticeDelivery): Promise<void> {
    const { signal } = this.stop;
    let attempt: Attempt;
    try {
      attempt = await this.attempts.make(notice, delivery, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    await this.outcomes.note(notice, delivery, attempt);
  }
}
