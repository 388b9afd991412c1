import { Injectable } from '@nestjs/common';
import { Logger } from '../../../common/logger.js';
import { CallWatch } from '../../../queue/call-watch.js';
import { LaneWorker } from '../../../queue/lane-worker.js';
import { RollbackSafeClock } from '../../../queue/rollback-safe-clock.js';
import { WorkLoops } from '../../../queue/work-loop.js';
import { DeliveriesRepository, type DeliveryChanges } from '../deliveries/deliveries.repository.js';
import type { NoticeDelivery } from '../deliveries/notice-delivery.entity.js';
import type { Notice } from '../notice.entity.js';
import { NoticesRepository } from '../notices.repository.js';
import type { QueuePost } from '../../channels/conversations/chat-posts.service.js';
import { CHANNEL_UNUSABLE, NoticeCallsService, POSTED, type CallOutcome } from './notice-calls.service.js';
import { NoticeLanes, type NoticeLane, type NoticeRow } from './notice-lanes.js';
import { NoticeChatsService } from './notice-chats.service.js';
import { RunAnswersService } from './run-answers.service.js';
import { pauseAfter } from './retry-plan.js';

/** Calls to one receiver at a time. */
const MAX_CALLS = 5;
/** After a fault of our own. */
const RETRY_MS = 10_000;
/** Without any success, before a notice is disabled. */
const FAILING_MS = 3 * 24 * 3_600_000;
const GONE = 410;

/** What became of an attempt, and for a chat what to queue with it. */
interface Attempt {
  outcome: CallOutcome;
  post: QueuePost | null;
}

/** Sends what waits for notices: each as a lane, at least once, in any order. */
@Injectable()
export class NoticeSenderService extends LaneWorker<NoticeRow> {
  constructor(
    override readonly lanes: NoticeLanes,
    private readonly notices: NoticesRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly receivers: NoticeCallsService,
    private readonly chats: NoticeChatsService,
    private readonly answers: RunAnswersService,
    private readonly clock: RollbackSafeClock,
    private readonly logger: Logger,
    loops: WorkLoops,
  ) {
    super('notices', lanes, new CallWatch(), loops);
  }

  /** Goes on as long as something is due. It reads the notice before each delivery, as a person may change it meanwhile. */
  async work(lane: NoticeLane): Promise<number | null> {
    const { id } = lane.row;
    const underWay = new Map<string, Promise<void>>();
    let notice = await this.findEnabled(id);
    while (notice !== null && !this.stop.signal.aborted) {
      const free = MAX_CALLS - underWay.size;
      const due = await this.deliveries.findDue(id, this.clock.nowMs(), free, new Set(underWay.keys()));
      for (const delivery of due) {
        const done = this.deliver(notice, delivery).finally(() => underWay.delete(delivery.id));
        underWay.set(delivery.id, done);
      }
      if (underWay.size === 0) break;
      await Promise.race(underWay.values());
      notice = await this.findEnabled(id);
    }
    await Promise.all(underWay.values());
    return this.lanes.settle(lane, notice === null);
  }

  async giveUp(lane: NoticeLane): Promise<void> {
    await this.lanes.retry(lane, RETRY_MS);
  }

  private async findEnabled(id: string): Promise<Notice | null> {
    const notice = await this.notices.find(id);
    return notice?.enabled === true ? notice : null;
  }

  /** A call that a stop cuts off is repeated: the receiver knows it by its id. */
  private async deliver(notice: Notice, delivery: NoticeDelivery): Promise<void> {
    const { signal } = this.stop;
    let attempt: Attempt;
    try {
      attempt = notice.url === null ? await this.post(notice, delivery) : await this.call(notice, delivery);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    const { outcome, post } = attempt;
    const changes = this.changesAfter(delivery, outcome);
    await this.lanes.store(async (session, nowMs) => {
      const isNoted = await this.deliveries.note(session, delivery, changes, nowMs);
      if (isNoted) await post?.(session, nowMs);
    });
    if (post) this.chats.posted();
    const { notice_id, id: delivery_id, type } = delivery;
    this.logger.debug({ notice_id, delivery_id, type, status: outcome.status, error: outcome.error }, 'notice sent');
    await this.noteHealth(notice, outcome);
  }

  private async call(notice: Notice, delivery: NoticeDelivery): Promise<Attempt> {
    const body = await this.answers.bodyOf(notice, delivery);
    const { signal } = this.stop;
    return {
      outcome: await this.calls.during(notice.id, () => this.receivers.call(notice, delivery.id, body, signal)),
      post: null,
    };
  }

  private async post(notice: Notice, delivery: NoticeDelivery): Promise<Attempt> {
    const post = await this.chats.postOf(notice, delivery);
    return { outcome: post === null ? CHANNEL_UNUSABLE : POSTED, post };
  }

  private changesAfter(delivery: NoticeDelivery, { isDelivered, status, ...outcome }: CallOutcome): DeliveryChanges {
    const attempts = delivery.attempts + 1;
    const last = { last_status: status, last_error: outcome.error, last_answer: outcome.answer };
    if (isDelivered) return { status: 'delivered', attempts, next_at: null, ...last };
    const pauseMs = status === GONE ? null : pauseAfter(attempts, outcome.retryAfterMs);
    if (pauseMs === null) return { status: 'failed', attempts, next_at: null, ...last };
    return { status: 'waiting', attempts, next_at: this.clock.nowMs() + pauseMs, ...last };
  }

  /** What a person wants to know of the notice. It is written only where it changes: successes are many. */
  private async noteHealth(notice: Notice, { isDelivered, status, error }: CallOutcome): Promise<void> {
    const { id, last_error, failing_since } = notice;
    const nowMs = this.clock.nowMs();
    const sinceMs = isDelivered ? null : Number(failing_since ?? nowMs);
    const reason = sinceMs === null ? null : disabledReason(status, this.clock.sinceMs(sinceMs));
    const isSame = error === last_error && (sinceMs === null) === (failing_since === null);
    if (isSame && reason === null) return;
    await this.notices.update(id, () => ({
      last_error: error,
      failing_since: sinceMs,
      ...(reason !== null && { enabled: false, disabled_reason: reason, updated_at: nowMs }),
    }));
    if (reason !== null) this.logger.warn({ notice_id: id, reason }, 'notice disabled');
  }
}

function disabledReason(status: number | null, failingMs: number): string | null {
  if (status === GONE) return 'the receiver answered 410 Gone';
  return failingMs >= FAILING_MS ? 'no delivery has succeeded for 3 days' : null;
}
