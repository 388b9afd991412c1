import { Injectable } from '@nestjs/common';
import { In, IsNull, Not, Or } from 'typeorm';
import { Database, type SqlSession } from '../../../../database/database.js';
import { PortDataSource } from '../../../../database/port-data-source.js';
import { sqlTuple } from '../../../../database/sql-literal.js';
import { ChannelAgent } from '../../accounts/channel-agent.entity.js';
import { ChannelMessage, UNPROVEN_MESSAGE } from '../../messages/channel-message.entity.js';

/** Questions about approvals, and the presses and texts that answer them. */
@Injectable()
export class ChatApprovalsRepository {
  constructor(
    private readonly database: Database,
    private readonly entities: PortDataSource,
  ) {}

  /** Locks the channel against deletion until the transaction ends. @returns false if it is gone */
  async holdChannel(session: SqlSession, channelId: string): Promise<boolean> {
    const locking = this.database.dialect === 'postgres' ? 'FOR KEY SHARE' : '';
    const rows = await session.query(`SELECT 1 AS found FROM channel WHERE id = $1 ${locking}`, [channelId]);
    return rows.length > 0;
  }

  isBound(channelId: string, agentId: string): Promise<boolean> {
    return this.entities.manager.existsBy(ChannelAgent, { channel_id: channelId, agent_name: agentId });
  }

  /** Whether the log still has a message from one of these people in the chat. Unproven messages do not count. */
  haveWritten(channelId: string, chatId: string, userIds: readonly string[]): Promise<boolean> {
    return this.entities.manager.existsBy(ChannelMessage, {
      channel_id: channelId,
      chat_id: chatId,
      direction: 'in',
      user_id: In([...userIds]),
      reason: Or(IsNull(), Not(UNPROVEN_MESSAGE)),
    });
  }

  /** The same for anybody. */
  hasAnybodyWritten(channelId: string, chatId: string): Promise<boolean> {
    return this.entities.manager.existsBy(ChannelMessage, {
      channel_id: channelId,
      chat_id: chatId,
      direction: 'in',
      user_id: Not(IsNull()),
      reason: Or(IsNull(), Not(UNPROVEN_MESSAGE)),
    });
  }

  /** Whether the log has a message from the chat for the thread. */
  isConversation(channelId: string, chatId: string, threadId: string): Promise<boolean> {
    const message = { channel_id: channelId, chat_id: chatId, thread_id: threadId, direction: 'in' as const };
    return this.entities.manager.existsBy(ChannelMessage, message);
  }

  /**
   * Makes a thread a session of the channel: changes to its approvals wake it, and the chat is told outcomes.
   * @param lookAtMs when to look at it at the latest, even if another instance is working on it now
   */
  async openSession(
    session: SqlSession,
    { threadId, channelId, agentId }: Record<'threadId' | 'channelId' | 'agentId', string>,
    { nowMs, lookAtMs }: { nowMs: number; lookAtMs: number },
  ): Promise<void> {
    await session.query(
      `INSERT INTO channel_session (thread_id, channel_id, agent_name, work_at, created_at)
       VALUES ($1, $2, $3, $4, $5) ON CONFLICT (thread_id) DO UPDATE SET work_at = EXCLUDED.work_at
         WHERE channel_session.work_at IS NULL OR channel_session.work_at > EXCLUDED.work_at
           OR channel_session.work_at = channel_session.lease_until`,
      [threadId, channelId, agentId, lookAtMs, nowMs],
    );
  }

  /** Questions of a thread whose outcome has not been sent to the chat. */
  openQuestions(threadId: string): Promise<ChannelMessage[]> {
    return this.database.read<ChannelMessage>(
      `SELECT q.* FROM channel_message q
       WHERE q.thread_id = $1 AND q.status IN ('queued', 'sending', 'sent', 'unknown')
         AND q.direction = 'out' AND q.kind = 'question' AND NOT EXISTS (
           SELECT 1 FROM channel_message e
           WHERE e.channel_id = q.channel_id AND e.direction = 'out' AND e.dedup_key = 'outcome:' || q.id)
       ORDER BY q.seq`,
      [threadId],
    );
  }

  /**
   * Lets a `failed` or `unknown` question be asked again if somebody wrote in the chat, or changed the channel, since: the obstacle may be
   * gone. The question stays in the log, and a press of its button counts.
   * @param lostByMs a question that has been `unknown` since then, or longer, is asked again in any case
   */
  async setAside(session: SqlSession, channelId: string, dedupKey: string, lostByMs: number): Promise<void> {
    await session.query(
      `UPDATE channel_message SET dedup_key = dedup_key || ':' || id
       WHERE channel_id = $1 AND direction = 'out' AND dedup_key = $2 AND status IN ('failed', 'unknown') AND (
         (status = 'unknown' AND updated_at <= $3)
         OR EXISTS (SELECT 1 FROM channel c
           WHERE c.id = channel_message.channel_id AND c.updated_at > channel_message.updated_at)
         OR EXISTS (SELECT 1 FROM channel_chat t
           WHERE t.channel_id = channel_message.channel_id AND t.chat_id = channel_message.chat_id
             AND t.last_inbound_at > channel_message.updated_at))`,
      [channelId, dedupKey, lostByMs],
    );
  }

  /** Makes the sessions of these threads look at their questions at `atMs` at the latest. */
  async wakeAskers(threadIds: readonly string[], atMs: number): Promise<void> {
    const ids = sqlTuple(threadIds, this.database.dialect);
    await this.database.transaction((session) =>
      session.query(
        `UPDATE channel_session SET work_at = $1
         WHERE thread_id IN ${ids} AND (work_at IS NULL OR work_at > $1 OR work_at = lease_until)`,
        [atMs],
      ),
    );
  }

  /** Withdraws a question that has not been sent yet. @returns false if it was too late */
  async takeBack(session: SqlSession, { id }: ChannelMessage, reason: string, nowMs: number): Promise<boolean> {
    const failed = { status: 'failed' as const, reason, updated_at: nowMs };
    return (
      (await this.entities.within(session).update(ChannelMessage, { id, status: 'queued' }, failed)).affected !== 0
    );
  }

  findQuestion(channelId: string, id: string): Promise<ChannelMessage | null> {
    const question = { id, channel_id: channelId, direction: 'out' as const, kind: 'question' };
    return this.entities.manager.findOneBy(ChannelMessage, question);
  }

  /** Unhandled presses, or texts that may be answers, in a chat, the oldest first. */
  received(channelId: string, chatId: string, kind: 'press' | 'answer', limit: number): Promise<ChannelMessage[]> {
    return this.entities.manager.find(ChannelMessage, {
      where: { channel_id: channelId, chat_id: chatId, direction: 'in', status: 'received', kind },
      order: { seq: 'ASC' },
      take: limit,
    });
  }

  async close(
    session: SqlSession,
    { seq }: ChannelMessage,
    { status, reason }: { status: 'done' | 'dropped'; reason: string | null },
    nowMs: number,
  ): Promise<void> {
    await this.entities.within(session).update(ChannelMessage, { seq }, { status, reason, updated_at: nowMs });
  }

  /** A text that answers nothing waits for its turn in its session like any other message. */
  async handOn(session: SqlSession, text: ChannelMessage, nowMs: number): Promise<void> {
    const { seq, channel_id: channelId, thread_id: threadId, agent_name: agentId } = text;
    if (threadId === null || agentId === null) return;
    if (!(await this.holdChannel(session, channelId))) return;
    await this.openSession(session, { threadId, channelId, agentId }, { nowMs, lookAtMs: nowMs });
    const waiting = { seq, kind: 'answer', status: 'received' as const };
    await this.entities.within(session).update(ChannelMessage, waiting, { kind: 'message', updated_at: nowMs });
  }

  /** Texts no longer answer it. */
  async closeQuestion(session: SqlSession, { id }: ChannelMessage): Promise<void> {
    await this.entities.within(session).update(ChannelMessage, { id }, { group_key: null });
  }

  /** An `unknown` question was sent after all: somebody pressed its button. */
  async noteSeen(session: SqlSession, { id }: ChannelMessage, externalId: string, nowMs: number): Promise<void> {
    const sent = { status: 'sent' as const, external_id: externalId, reason: null, updated_at: nowMs };
    await this.entities.within(session).update(ChannelMessage, { id, status: 'unknown' }, sent);
  }
}
