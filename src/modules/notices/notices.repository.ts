import { Injectable } from '@nestjs/common';
import { Repository } from 'typeorm';
import { Database, type SqlSession } from '../../database/database.js';
import { PortDataSource } from '../../database/port-data-source.js';
import { InjectRepository } from '../../database/typeorm.module.js';
import { eventsIn, type NoticeEvent } from './notice-events.js';
import { MAX_NOTICES } from './notices.errors.js';
import { Notice } from './notice.entity.js';

export type NoticeChanges = Partial<Omit<Notice, 'id' | 'created_at' | 'work_at' | 'lease_owner' | 'lease_until'>>;

/** How attempts went, and the notice's version. */
export type NoticeHealth = Pick<Notice, 'last_error' | 'failing_since' | 'updated_at'>;

/** After a success, or once a person has repaired it. */
export const HEALTHY = { last_error: null, failing_since: null };

@Injectable()
export class NoticesRepository {
  constructor(
    @InjectRepository(Notice) private readonly notices: Repository<Notice>,
    private readonly entities: PortDataSource,
    private readonly database: Database,
  ) {}

  /** Returns false if there are too many. */
  insert(notice: Notice): Promise<boolean> {
    return this.entities.write(async (manager, session) => {
      // Concurrent creations wait for each other; readers and recordings do not.
      if (this.database.isShared) await session.query('LOCK TABLE notice IN SHARE ROW EXCLUSIVE MODE');
      if ((await manager.count(Notice)) >= MAX_NOTICES) return false;
      await manager.insert(Notice, notice);
      return true;
    });
  }

  /** @returns null if there is none */
  update(id: string, change: (notice: Notice) => NoticeChanges): Promise<Notice | null> {
    return this.entities.write(async (manager) => {
      const { affected } = await manager.update(Notice, { id }, { updated_at: () => 'updated_at' }); // locks it
      const notice = affected === 0 ? null : await manager.findOneBy(Notice, { id });
      if (notice === null) return null;
      const changes = change(notice);
      await manager.update(Notice, { id }, changes);
      return { ...notice, ...changes };
    });
  }

  /** The notice, locked until the transaction ends; null if there is none. */
  async lock(session: SqlSession, id: string): Promise<NoticeHealth | null> {
    const locking = this.database.isShared ? 'FOR UPDATE' : '';
    const sql = `SELECT last_error, failing_since, updated_at FROM notice WHERE id = $1 ${locking}`;
    const [row] = await session.query<NoticeHealth>(sql, [id]);
    return row ?? null;
  }

  async updateWithin(session: SqlSession, id: string, changes: NoticeChanges): Promise<void> {
    await this.entities.within(session).update(Notice, { id }, changes);
  }

  /** With its deliveries. Returns false if there was none. */
  delete(id: string): Promise<boolean> {
    return this.entities.write(async (manager, session) => {
      const { affected } = await manager.delete(Notice, { id });
      await session.query('DELETE FROM notice_delivery WHERE notice_id = $1', [id]);
      return affected !== 0;
    });
  }

  find(id: string): Promise<Notice | null> {
    return this.notices.findOneBy({ id });
  }

  /** All, oldest first: there are few. */
  list(): Promise<Notice[]> {
    return this.notices.find({ order: { created_at: 'ASC', id: 'ASC' } });
  }

  /** Whether any notice wants one of these events. */
  async isWanted(...events: readonly NoticeEvent[]): Promise<boolean> {
    const enabled = await this.notices.findBy({ enabled: true });
    return enabled.some((notice) => eventsIn(notice.events).some((event) => events.includes(event)));
  }

  hasAny(): Promise<boolean> {
    return this.notices.exists();
  }

  /** Wakes notices with something to send. Sorted by id to prevent deadlocks. */
  async wakeDue(session: SqlSession, nowMs: number): Promise<void> {
    const locking = this.database.isShared ? 'FOR UPDATE' : '';
    await session.query(
      `UPDATE notice SET work_at = $1 WHERE id IN (SELECT n.id FROM notice n
         WHERE n.enabled AND (n.work_at IS NULL OR n.work_at > $1) AND EXISTS (SELECT 1 FROM notice_delivery d
           WHERE d.notice_id = n.id AND d.status = 'waiting' AND d.next_at <= $1)
         ORDER BY n.id ${locking})`,
      [nowMs],
    );
  }
}
