import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { decodeCursor, toPage, type Page } from '../../../common/pagination.js';
import { deliveryNotFound, noticeNotFound, notRetryable } from '../notices.errors.js';
import { NoticesRepository } from '../notices.repository.js';
import { NoticeWakesService } from '../sending/notice-wakes.service.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import type { DeliveryStatus, NoticeDelivery } from './notice-delivery.entity.js';

const LIST = 'notice deliveries';

@Injectable()
export class DeliveriesService {
  constructor(
    private readonly notices: NoticesRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly wakes: NoticeWakesService,
    private readonly clock: Clock,
  ) {}

  /** Newest first. @throws DomainError `not_found`; `invalid` for a cursor of another list */
  async list(
    noticeId: string,
    status: DeliveryStatus | null,
    limit: number,
    cursor: string | null,
  ): Promise<Page<NoticeDelivery>> {
    if ((await this.notices.find(noticeId)) === null) throw noticeNotFound();
    const after = cursor === null ? null : decodeCursor(LIST, cursor, ['integer', 'text']);
    const position = after && { created_at: Number(after[0]), id: String(after[1]) };
    const rows = await this.deliveries.list(noticeId, status, limit + 1, position);
    return toPage(rows, limit, LIST, ({ created_at, id }) => [Number(created_at), id]);
  }

  count(noticeId: string, status: DeliveryStatus | null): Promise<number> {
    return this.deliveries.count(noticeId, status);
  }

  /** Sends a failed or dropped delivery again, with all its attempts. @throws DomainError `not_found`, `conflict` */
  async retry(noticeId: string, id: string): Promise<NoticeDelivery> {
    if ((await this.notices.find(noticeId)) === null) throw noticeNotFound();
    const before = await this.deliveries.retry(noticeId, id, this.clock.nowMs());
    if (before === null) throw deliveryNotFound();
    if (before === 'waiting' || before === 'delivered') throw notRetryable(before);
    this.wakes.wake();
    const delivery = await this.deliveries.find(noticeId, id);
    if (delivery === null) throw deliveryNotFound();
    return delivery;
  }
}
