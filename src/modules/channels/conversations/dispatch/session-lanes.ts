import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../common/clock.js';
import type { SqlRow, SqlSession } from '../../../../database/database.js';
import type { ChannelMessage } from '../../messages/channel-message.entity.js';
import { GroupCommit } from '../../../../queue/group-commit.js';
import { Lanes } from '../../../../queue/lanes.js';
import { LeasesRepository, type Lane } from '../../../../queue/leases.repository.js';
import { DispatchRepository } from './dispatch.repository.js';

/** A session that this instance works on. */
export interface SessionRow extends SqlRow {
  thread_id: string;
  channel_id: string;
  agent_name: string;
  /** The message whose turn it is; null where there is none. */
  head: ChannelMessage | null;
}

export type SessionLane = Lane<SessionRow>;

/** Sessions as lanes of the dispatcher. */
@Injectable()
export class SessionLanes extends Lanes<SessionRow> {
  constructor(
    private readonly repository: DispatchRepository,
    leases: LeasesRepository,
    group: GroupCommit,
    clock: Clock,
  ) {
    super({ name: 'channel_session', keys: ['thread_id'], called: 'agent_name' }, leases, group, clock);
  }

  /**
   * Does `work` and gives the lane back in one transaction; does nothing where it was taken over, or deleted with its channel.
   * @param work answers when to look at the session next, null for when there is something new
   * @returns when it will be looked at
   */
  settle(
    lane: SessionLane,
    work: (session: SqlSession, nowMs: number) => Promise<number | null>,
  ): Promise<number | null> {
    return this.group.run(async (session) => {
      if (!(await this.leases.lock(session, this.table, lane))) return null;
      return this.leases.release(session, this.table, lane, await work(session, this.clock.nowMs()));
    });
  }

  protected async prepare(session: SqlSession, row: SessionRow, nowMs: number): Promise<void> {
    row.head = await this.repository.takeTurn(session, row.thread_id, nowMs);
  }
}
