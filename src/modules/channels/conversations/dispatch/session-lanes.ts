import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../common/clock.js';
import type { SqlRow, SqlSession } from '../../../../database/database.js';
import { GroupCommit } from '../../../../queue/group-commit.js';
import { Lanes } from '../../../../queue/lanes.js';
import { LeasesRepository, type Lane } from '../../../../queue/leases.repository.js';
import { WakeSignal } from '../../../../queue/wake-signal.js';
import type { ChannelMessage } from '../../messages/channel-message.entity.js';
import { OutboxQueueRepository, type OutboundDraft } from '../../messages/outbox-queue.repository.js';
import { DispatchRepository } from './dispatch.repository.js';

/** A session that this instance works on. */
export interface SessionRow extends SqlRow {
  thread_id: string;
  channel_id: string;
  agent_name: string;
  /** The message whose turn it is; null if there is none. */
  head: ChannelMessage | null;
}

export type SessionLane = Lane<SessionRow>;

/** Sessions as lanes of the dispatcher. */
@Injectable()
export class SessionLanes extends Lanes<SessionRow> {
  constructor(
    readonly repository: DispatchRepository,
    private readonly queue: OutboxQueueRepository,
    private readonly wakes: WakeSignal,
    leases: LeasesRepository,
    group: GroupCommit,
    clock: Clock,
  ) {
    super(
      { name: 'channel_session', keys: ['thread_id'], called: 'agent_name', account: 'channel_id' },
      leases,
      group,
      clock,
    );
  }

  /**
   * Extends every wait for a next part: platforms repeat what they could not deliver while the server was away, Telegram at once, then
   * after 2, 4 and 8 seconds.
   */
  override async open(): Promise<void> {
    await super.open();
    await this.repository.waitForParts(this.clock.nowMs());
  }

  /**
   * Does `work`, queues the texts and gives the lane back in one transaction; does nothing if the lane was taken over, or deleted with its
   * channel.
   * @param work returns when to look at the session next, null for when there is something new
   * @param texts for the chat
   * @returns when to look at it next
   */
  async settle(
    lane: SessionLane,
    work: (session: SqlSession, nowMs: number) => Promise<number | null>,
    texts: readonly OutboundDraft[] = [],
  ): Promise<number | null> {
    const next = await this.group.run(async (session) => {
      if (!(await this.leases.lock(session, this.table, lane))) return null;
      const nowMs = this.clock.nowMs();
      const nextMs = await work(session, nowMs);
      for (const text of texts) await this.queue.enqueue(session, text, nowMs);
      return this.leases.release(session, this.table, lane, nextMs);
    });
    if (texts.length > 0) this.wakes.notify();
    return next;
  }

  /** Does `work` and keeps the lane. @returns false if the lane was taken over: nothing was done */
  within(lane: SessionLane, work: (session: SqlSession) => Promise<void>): Promise<boolean> {
    return this.group.run(async (session) => {
      if (!(await this.leases.lock(session, this.table, lane))) return false;
      await work(session);
      return true;
    });
  }

  /** Only sets when to look at the session next. @param waitMs null for when a message has its turn */
  giveBack(lane: SessionLane, waitMs: number | null): Promise<number | null> {
    return this.settle(lane, async (session, nowMs) => {
      if (waitMs !== null && lane.row.head !== null) return nowMs + waitMs;
      const nextMs = await this.repository.nextTurnAt(session, lane.row.thread_id, nowMs);
      return waitMs === null ? nextMs : Math.min(nowMs + waitMs, nextMs ?? Infinity);
    });
  }

  protected async prepare(session: SqlSession, row: SessionRow, nowMs: number): Promise<void> {
    row.head = await this.repository.takeTurn(session, row.thread_id, nowMs);
  }
}
