import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { newId } from '../../../common/ids.js';
import type { SqlRow, SqlSession } from '../../../database/database.js';
import { GroupCommit } from '../work/group-commit.js';
import { LeasesRepository, type Lane, type LaneTable } from '../work/leases.repository.js';
import { OutboxRepository } from './outbox.repository.js';

const CHATS: LaneTable = { name: 'channel_chat', keys: ['channel_id', 'chat_id'] };

/** A chat that this instance works on. */
export interface ChatRow extends SqlRow {
  channel_id: string;
  chat_id: string;
}

export type ChatLane = Lane<ChatRow>;

/** Chats as lanes of the outbox. */
@Injectable()
export class ChatLanes {
  private readonly instance = newId();
  private claims = 0;

  constructor(
    private readonly leases: LeasesRepository,
    private readonly repository: OutboxRepository,
    private readonly group: GroupCommit,
    private readonly clock: Clock,
  ) {}

  /** To be called once, before the first claim. */
  open(): Promise<void> {
    return this.leases.freeAll(CHATS, this.clock.nowMs());
  }

  async claim(limit: number): Promise<ChatLane[]> {
    if (!(await this.leases.hasDue(CHATS, this.clock.nowMs()))) return [];
    return this.group.run(async (session) => {
      const nowMs = this.clock.nowMs();
      const owner = `${this.instance}:${++this.claims}`;
      const lanes = await this.leases.claim<ChatRow>(session, CHATS, owner, nowMs, limit);
      for (const { row } of lanes) {
        await this.repository.giveUpSending(session, row.channel_id, row.chat_id, nowMs);
      }
      return lanes;
    });
  }

  renew(lanes: readonly ChatLane[]): Promise<void> {
    return this.leases.renew(CHATS, lanes, this.clock.nowMs());
  }

  /** Does `work` while the lane is held; null where it was taken over, or deleted with its channel. */
  whileHeld<T>(lane: ChatLane, work: (session: SqlSession, nowMs: number) => Promise<T>): Promise<T | null> {
    return this.group.run(async (session) => {
      if (!(await this.leases.lock(session, CHATS, lane))) return null;
      return work(session, this.clock.nowMs());
    });
  }

  /**
   * Does `work` and gives the lane back in one transaction. A lane that was lost keeps what `work` did: it is about calls that were made.
   * @param waitMs until the next message may be sent
   * @returns when the chat will be looked at
   */
  settle(
    lane: ChatLane,
    waitMs: number,
    work: (session: SqlSession, nowMs: number) => Promise<void> = async () => undefined,
  ): Promise<number | null> {
    const { channel_id, chat_id } = lane.row;
    return this.group.run(async (session) => {
      const nowMs = this.clock.nowMs();
      const isHeld = await this.leases.lock(session, CHATS, lane);
      await work(session, nowMs);
      if (!isHeld) return null;
      const hasMore = await this.repository.hasQueued(session, channel_id, chat_id);
      return this.leases.release(session, CHATS, lane, hasMore ? nowMs + waitMs : null);
    });
  }
}
