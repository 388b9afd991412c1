import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../common/clock.js';
import type { SqlRow, SqlSession } from '../../../../database/database.js';
import { GroupCommit } from '../../../../queue/group-commit.js';
import { Lanes } from '../../../../queue/lanes.js';
import { LeasesRepository, type Lane } from '../../../../queue/leases.repository.js';
import { OutboxRepository, type ChatKey } from './outbox.repository.js';
import type { OpenChannel } from '../../accounts/channel-accounts.service.js';
import type { ChannelMessage } from '../../messages/channel-message.entity.js';

/** A chat that this instance works on. */
export interface ChatRow extends SqlRow, ChatKey {
  /** Threads with a question that may not have arrived, sent by this holder of the lane or the one before. */
  lostQuestionsOf: string[];
}

export type ChatLane = Lane<ChatRow>;

/** Chats as lanes of the outbox. */
@Injectable()
export class ChatLanes extends Lanes<ChatRow> {
  constructor(
    private readonly repository: OutboxRepository,
    leases: LeasesRepository,
    group: GroupCommit,
    clock: Clock,
  ) {
    super(
      { name: 'channel_chat', keys: ['channel_id', 'chat_id'], called: 'channel_id', account: 'channel_id' },
      leases,
      group,
      clock,
    );
  }

  /** Does `work` while the lane is held; null if it was taken over, or deleted with its channel. */
  whileHeld<T>(lane: ChatLane, work: (session: SqlSession, nowMs: number) => Promise<T>): Promise<T | null> {
    return this.group.run(async (session) => {
      if (!(await this.leases.lock(session, this.table, lane))) return null;
      return work(session, this.clock.nowMs());
    });
  }

  /**
   * Does `work` and gives the lane back in one transaction. If the lane was lost, `work` still runs, as it stores calls that were made, and
   * the chat is looked at again: the new holder has not seen them.
   * @param waitMs until the next message may be sent
   * @returns when to look at the chat next
   */
  settle(
    lane: ChatLane,
    waitMs: number,
    work: (session: SqlSession, nowMs: number) => Promise<void> = async () => undefined,
  ): Promise<number | null> {
    return this.group.run(async (session) => {
      const nowMs = this.clock.nowMs();
      const isHeld = await this.leases.lock(session, this.table, lane);
      if (!isHeld) await this.repository.wakeChat(session, lane.row, Math.ceil(nowMs + waitMs));
      await work(session, nowMs);
      if (!isHeld) return null;
      const hasMore = await this.repository.hasWork(session, lane.row);
      return this.leases.release(session, this.table, lane, hasMore ? nowMs + waitMs : null);
    });
  }

  /** Gives the lane back for another look, whether or not work seems to be left: it is not known how far the work came. */
  async retry(lane: ChatLane, waitMs: number): Promise<void> {
    await this.group.run((session) => this.leases.release(session, this.table, lane, this.clock.nowMs() + waitMs));
  }

  protected async prepare(session: SqlSession, row: ChatRow, nowMs: number): Promise<void> {
    row.lostQuestionsOf = await this.repository.giveUpSending(session, row, nowMs);
  }
}

/** The message whose turn it is in a chat leased by this instance. */
export interface ChatTurn {
  lane: ChatLane;
  message: ChannelMessage;
  open: OpenChannel;
}
