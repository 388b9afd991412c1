import { Injectable } from '@nestjs/common';
import { LessThan, MoreThan, Repository } from 'typeorm';
import { Database, type BoundStatement, type SqlSession } from '../../../database/database.js';
import { InjectRepository } from '../../../database/typeorm.module.js';
import { bodyOf, type News } from '../notice-news.js';
import { NoticeDelivery, type DeliveryStatus } from './notice-delivery.entity.js';

/** The delivery before a page. */
export type DeliveryPosition = Pick<NoticeDelivery, 'created_at' | 'id'>;

export type DeliveryChanges = Pick<
  NoticeDelivery,
  'status' | 'attempts' | 'next_at' | 'last_status' | 'last_error' | 'last_answer'
>;

/** Waiting deliveries per notice. */
const MAX_WAITING = 10_000;

/** @param condition SQL on the notice `n` */
const INSERT = (type: string, condition: string) => `INSERT INTO notice_delivery
  (notice_id, id, type, body, agent_id, thread_id, trace_id, status, attempts, next_at, created_at, updated_at)
  SELECT n.id, $1, '${type}', $2, $3, $4, $5, 'waiting', 0, $6, $6, $6 FROM notice n
  WHERE n.enabled AND n.events LIKE '%,${type},%'
    AND ${condition} AND (n.agent_id IS NULL OR n.agent_id = $3 OR SUBSTR($3, 1, LENGTH(n.agent_id) + 1) = n.agent_id || ':')
  ON CONFLICT (notice_id, id) DO NOTHING`;

@Injectable()
export class DeliveriesRepository {
  constructor(
    @InjectRepository(NoticeDelivery) private readonly deliveries: Repository<NoticeDelivery>,
    private readonly database: Database,
  ) {}

  /**
   * Stores the news once for each notice that wants them. Locks no notice, so recordings never wait.
   * @param createdBeforeMs excludes newer notices
   */
  insertStatement(news: News, createdBeforeMs: number | null = null): BoundStatement {
    const { id, type, agentId, threadId, traceId, atMs, data } = news;
    const condition = createdBeforeMs === null ? 'TRUE' : `n.created_at <= ${Math.floor(createdBeforeMs)}`;
    return { sql: INSERT(type, condition), params: [id, bodyOf(type, atMs, data), agentId, threadId, traceId, atMs] };
  }

  /** Deliveries to send now, longest overdue first. @param except those being sent */
  async findDue(
    noticeId: string,
    nowMs: number,
    limit: number,
    except: ReadonlySet<string>,
  ): Promise<NoticeDelivery[]> {
    const rows = await this.database.read<NoticeDelivery>(
      `SELECT * FROM notice_delivery WHERE notice_id = $1 AND status = 'waiting' AND next_at <= $2
       ORDER BY next_at, id LIMIT $3`,
      [noticeId, nowMs, limit + except.size],
    );
    return rows.filter(({ id }) => !except.has(id)).slice(0, limit);
  }

  /** When the next one is due; null if none waits. */
  async nextAt(session: SqlSession, noticeId: string): Promise<number | null> {
    const [row] = await session.query<{ next_at: number | null }>(
      `SELECT MIN(next_at) AS next_at FROM notice_delivery WHERE notice_id = $1 AND status = 'waiting'`,
      [noticeId],
    );
    return row!.next_at === null ? null : Number(row!.next_at);
  }

  /** Stores the outcome of an attempt. Returns false if another server was faster, or the delivery is gone. */
  async note(
    session: SqlSession,
    { notice_id, id, attempts }: NoticeDelivery,
    { status, next_at, ...last }: DeliveryChanges,
    nowMs: number,
  ): Promise<boolean> {
    const rows = await session.query(
      `UPDATE notice_delivery SET status = $1, attempts = $2, next_at = $3, last_status = $4, last_error = $5,
         last_answer = $6, updated_at = $7
       WHERE notice_id = $8 AND id = $9 AND status = 'waiting' AND attempts = $10 RETURNING id`,
      [
        ...[status, last.attempts, next_at, last.last_status, last.last_error, last.last_answer, nowMs],
        ...[notice_id, id, attempts],
      ],
    );
    return rows.length > 0;
  }

  /** Stores the final text. Returns the stored one: another server may have been faster. */
  async complete({ notice_id, id, body }: NoticeDelivery, completed: string): Promise<string> {
    await this.deliveries.update({ notice_id, id, body }, { body: completed });
    return (await this.find(notice_id, id))?.body ?? completed;
  }

  /** Drops what waits beyond the limit, latest first. */
  async dropExcess(session: SqlSession, noticeId: string, nowMs: number): Promise<void> {
    await session.query(
      `UPDATE notice_delivery SET status = 'dropped', next_at = NULL, updated_at = $1
       WHERE notice_id = $2 AND id IN (SELECT id FROM notice_delivery WHERE notice_id = $2 AND status = 'waiting'
         ORDER BY created_at, id LIMIT 1000000 OFFSET ${MAX_WAITING})`,
      [nowMs, noticeId],
    );
  }

  /** Makes a failed or dropped delivery wait again; leaves others as they are. Returns its status before; null if there is none. */
  async retry(noticeId: string, id: string, nowMs: number): Promise<DeliveryStatus | null> {
    const row = await this.deliveries.findOneBy({ notice_id: noticeId, id });
    if (row === null || row.status === 'waiting' || row.status === 'delivered') return row?.status ?? null;
    const changes = { status: 'waiting' as const, attempts: 0, next_at: nowMs, updated_at: nowMs };
    await this.deliveries.update({ notice_id: noticeId, id, status: row.status }, changes);
    return row.status;
  }

  /** What waits for another try need not wait longer. */
  async hasten(noticeId: string, nowMs: number): Promise<void> {
    await this.deliveries.update(
      { notice_id: noticeId, status: 'waiting', next_at: MoreThan(nowMs) },
      { next_at: nowMs },
    );
  }

  find(noticeId: string, id: string): Promise<NoticeDelivery | null> {
    return this.deliveries.findOneBy({ notice_id: noticeId, id });
  }

  /** Newest first. @param status null for all */
  list(
    noticeId: string,
    status: DeliveryStatus | null,
    limit: number,
    after: DeliveryPosition | null,
  ): Promise<NoticeDelivery[]> {
    const page = this.deliveries
      .createQueryBuilder('d')
      .where('d.notice_id = :noticeId', { noticeId })
      .orderBy({ 'd.created_at': 'DESC', 'd.id': 'DESC' })
      .limit(limit);
    if (status !== null) page.andWhere('d.status = :status', { status });
    if (after !== null) page.andWhere('(d.created_at, d.id) < (:created_at, :id)', after);
    return page.getMany();
  }

  count(noticeId: string, status: DeliveryStatus | null): Promise<number> {
    return this.deliveries.countBy({ notice_id: noticeId, ...(status !== null && { status }) });
  }

  /** Waiting deliveries by notice. */
  async countWaiting(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.database.read<{ notice_id: string; number: number }>(
      `SELECT notice_id, COUNT(*) AS number FROM notice_delivery WHERE status = 'waiting' GROUP BY notice_id`,
    );
    return new Map(rows.map(({ notice_id, number }) => [notice_id, Number(number)]));
  }

  async deleteOlderThan(ms: number): Promise<void> {
    await this.deliveries.delete({ created_at: LessThan(ms) });
  }
}
