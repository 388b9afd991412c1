import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import type { SqlRow, SqlSession } from '../../../database/database.js';
import { GroupCommit } from '../../../queue/group-commit.js';
import { Lanes } from '../../../queue/lanes.js';
import { LeasesRepository, type Lane } from '../../../queue/leases.repository.js';
import { DeliveriesRepository } from '../deliveries/deliveries.repository.js';
import type { NoticeDelivery } from '../deliveries/notice-delivery.entity.js';
import type { Notice } from '../notice.entity.js';

export type NoticeRow = Notice & SqlRow;

export type NoticeLane = Lane<NoticeRow>;

/** Notices as lanes: one server at a time sends a notice's deliveries. */
@Injectable()
export class NoticeLanes extends Lanes<NoticeRow> {
  constructor(
    private readonly deliveries: DeliveriesRepository,
    leases: LeasesRepository,
    group: GroupCommit,
    clock: Clock,
  ) {
    super({ name: 'notice', keys: ['id'], called: 'id', account: 'id' }, leases, group, clock);
  }

  /** @param except what is being sent */
  dueDeliveries({ row }: NoticeLane, limit: number, except: ReadonlySet<string>): Promise<NoticeDelivery[]> {
    return this.deliveries.findDue(row.id, this.clock.nowMs(), limit, except);
  }

  /** Runs `work` in a transaction. Its subject has happened, so it counts even if the lane was lost meanwhile. */
  store<T>(work: (session: SqlSession, nowMs: number) => Promise<T>): Promise<T> {
    return this.group.run((session) => work(session, this.clock.nowMs()));
  }

  /** Releases the lane. @param isDisabled the notice rests until somebody enables it @returns when it is due again */
  settle(lane: NoticeLane, isDisabled: boolean): Promise<number | null> {
    return this.group.run(async (session) => {
      if (!(await this.leases.lock(session, this.table, lane))) return null;
      const nextAt = isDisabled ? null : await this.deliveries.nextAt(session, lane.row.id);
      return this.leases.release(session, this.table, lane, nextAt);
    });
  }

  async retry(lane: NoticeLane, waitMs: number): Promise<void> {
    await this.group.run((session) => this.leases.release(session, this.table, lane, this.clock.nowMs() + waitMs));
  }

  protected async prepare(session: SqlSession, row: NoticeRow, nowMs: number): Promise<void> {
    await this.deliveries.dropExcess(session, row.id, nowMs);
  }
}
