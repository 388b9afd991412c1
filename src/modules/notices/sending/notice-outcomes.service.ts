import { Injectable } from '@nestjs/common';
import { Logger } from '../../../common/logger.js';
import { RollbackSafeClock } from '../../../queue/rollback-safe-clock.js';
import { WakeSignal } from '../../../queue/wake-signal.js';
import { DeliveriesRepository, type DeliveryChanges } from '../deliveries/deliveries.repository.js';
import type { NoticeDelivery } from '../deliveries/notice-delivery.entity.js';
import type { Notice } from '../notice.entity.js';
import { NoticesRepository, type NoticeChanges, type NoticeHealth } from '../notices.repository.js';
import type { Attempt } from './notice-attempts.service.js';
import type { CallOutcome } from './notice-calls.service.js';
import { NoticeLanes } from './notice-lanes.js';
import { pauseAfter } from './retry-plan.js';

/** Time without any success before a notice is disabled. */
const FAILING_MS = 3 * 24 * 3_600_000;
const GONE = 410;

/** Stores the outcomes of attempts, for the delivery and, for people, its notice. */
@Injectable()
export class NoticeOutcomesService {
  constructor(
    private readonly lanes: NoticeLanes,
    private readonly notices: NoticesRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly work: WakeSignal,
    private readonly clock: RollbackSafeClock,
    private readonly logger: Logger,
  ) {}

  /** @param sent the notice as it was when the attempt began */
  async note(sent: Notice, delivery: NoticeDelivery, { outcome, post }: Attempt): Promise<void> {
    const health = await this.lanes.store(async (session, nowMs) => {
      // The notice first, as everywhere, to prevent deadlocks. Other attempts may have changed it since, or a person, who repaired it.
      const notice = await this.notices.lock(session, sent.id);
      if (notice === null) return null;
      const isCurrent = Number(notice.updated_at) === Number(sent.updated_at);
      const changes = isCurrent ? this.healthAfter(notice, outcome) : null;
      if (changes !== null) await this.notices.updateWithin(session, sent.id, changes);
      const isGone = isCurrent && outcome.status === GONE;
      const isNoted = await this.deliveries.note(
        session,
        delivery,
        this.changesAfter(delivery, outcome, isGone),
        nowMs,
      );
      if (isNoted) await post?.(session, nowMs);
      return changes;
    });
    if (post) this.work.notify();
    const { notice_id, id: delivery_id, type } = delivery;
    this.logger.debug({ notice_id, delivery_id, type, status: outcome.status, error: outcome.error }, 'notice sent');
    if (health?.disabled_reason) this.logger.warn({ notice_id, reason: health.disabled_reason }, 'notice disabled');
  }

  private changesAfter(
    delivery: NoticeDelivery,
    { isDelivered, status, ...outcome }: CallOutcome,
    isGone: boolean,
  ): DeliveryChanges {
    const attempts = delivery.attempts + 1;
    const last = { last_status: status, last_error: outcome.error, last_answer: outcome.answer };
    if (isDelivered) return { status: 'delivered', attempts, next_at: null, ...last };
    const pauseMs = isGone ? null : pauseAfter(attempts, outcome.retryAfterMs);
    if (pauseMs === null) return { status: 'failed', attempts, next_at: null, ...last };
    return { status: 'waiting', attempts, next_at: this.clock.nowMs() + pauseMs, ...last };
  }

  /** The notice's state for people; null if unchanged: successes are frequent. */
  private healthAfter(
    { last_error, failing_since }: NoticeHealth,
    { isDelivered, status, error }: CallOutcome,
  ): NoticeChanges | null {
    const nowMs = this.clock.nowMs();
    const sinceMs = isDelivered ? null : Number(failing_since ?? nowMs);
    const reason = sinceMs === null ? null : disabledReason(status, this.clock.sinceMs(sinceMs));
    const isSame = error === last_error && (sinceMs === null) === (failing_since === null);
    if (isSame && reason === null) return null;
    const ended = reason === null ? {} : { enabled: false, disabled_reason: reason, updated_at: nowMs };
    return { last_error: error, failing_since: sinceMs, ...ended };
  }
}

function disabledReason(status: number | null, failingMs: number): string | null {
  if (status === GONE) return 'the receiver answered 410 Gone';
  return failingMs >= FAILING_MS ? 'no delivery has succeeded for 3 days' : null;
}
