import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { newId } from '../../../common/ids.js';
import type { SqlRow, SqlSession } from '../../../database/database.js';
import type { ChannelMessage } from '../entities/channel-message.entity.js';
import { GroupCommit } from '../work/group-commit.js';
import { LeasesRepository, type Lane, type LaneTable } from '../work/leases.repository.js';
import { DispatchRepository } from './dispatch.repository.js';

const SESSIONS: LaneTable = { name: 'channel_session', keys: ['thread_id'] };

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
export class SessionLanes {
  private readonly instance = newId();
  private claims = 0;

  constructor(
    private readonly leases: LeasesRepository,
    private readonly repository: DispatchRepository,
    private readonly group: GroupCommit,
    private readonly clock: Clock,
  ) {}

  /** To be called once, before the first claim. */
  open(): Promise<void> {
    return this.leases.freeAll(SESSIONS, this.clock.nowMs());
  }

  async claim(limit: number): Promise<SessionLane[]> {
    if (!(await this.leases.hasDue(SESSIONS, this.clock.nowMs()))) return [];
    return this.group.run(async (session) => {
      const nowMs = this.clock.nowMs();
      const owner = `${this.instance}:${++this.claims}`;
      const lanes = await this.leases.claim<SessionRow>(session, SESSIONS, owner, nowMs, limit);
      for (const { row } of lanes) row.head = await this.repository.takeTurn(session, row.thread_id, nowMs);
      return lanes;
    });
  }

  renew(lanes: readonly SessionLane[]): Promise<void> {
    return this.leases.renew(SESSIONS, lanes, this.clock.nowMs());
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
      if (!(await this.leases.lock(session, SESSIONS, lane))) return null;
      return this.leases.release(session, SESSIONS, lane, await work(session, this.clock.nowMs()));
    });
  }
}
