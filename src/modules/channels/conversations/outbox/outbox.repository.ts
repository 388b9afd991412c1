import { Injectable } from '@nestjs/common';
import type { SqlSession } from '../../../../database/database.js';
import { PortDataSource } from '../../../../database/port-data-source.js';
import { ChannelChat } from '../../messages/channel-chat.entity.js';
import { ChannelMessage, type OutboundStatus } from '../../messages/channel-message.entity.js';
import { answerKeyOf } from '../../messages/open-question.js';

export interface ChatKey {
  channel_id: string;
  chat_id: string;
}

export interface OutboundOutcome {
  status: OutboundStatus;
  reason: string | null;
  /** The platform's message id; null if unknown. */
  externalId: string | null;
}

/** The queue of messages to chats. */
@Injectable()
export class OutboxRepository {
  constructor(private readonly entities: PortDataSource) {}

  /**
   * Marks as `unknown` what an instance left in the middle of a call. The chat must be leased.
   * @returns the threads whose questions became `unknown`
   */
  async giveUpSending(session: SqlSession, { channel_id, chat_id }: ChatKey, nowMs: number): Promise<string[]> {
    const rows = await session.query<Pick<ChannelMessage, 'kind' | 'thread_id'>>(
      `UPDATE channel_message SET status = 'unknown', reason = 'the server stopped while it was being sent', updated_at = $1
       WHERE channel_id = $2 AND chat_id = $3 AND direction = 'out' AND status = 'sending'
       RETURNING kind, thread_id`,
      [nowMs, channel_id, chat_id],
    );
    return rows.flatMap(({ kind, thread_id }) => (kind === 'question' && thread_id !== null ? [thread_id] : []));
  }

  /** The first waiting message of the chat. */
  findNext(chat: ChatKey): Promise<ChannelMessage | null> {
    return this.entities.manager.findOne(ChannelMessage, { where: queuedIn(chat), order: { seq: 'ASC' } });
  }

  /** Whether work is left: messages that wait or whose outcome was not stored, presses, and answers. */
  async hasWork(session: SqlSession, { channel_id, chat_id }: ChatKey): Promise<boolean> {
    const rows = await session.query(
      `SELECT 1 AS found FROM channel_message
       WHERE channel_id = $1 AND chat_id = $2 AND direction = 'out' AND status IN ('queued', 'sending')
       UNION ALL
       SELECT 1 FROM channel_message
       WHERE channel_id = $1 AND chat_id = $2 AND direction = 'in' AND status = 'received' AND kind IN ('press', 'answer')
       LIMIT 1`,
      [channel_id, chat_id],
    );
    return rows.length > 0;
  }

  /** Schedules a look at the chat, unless one is due anyway; locks the chat until the transaction ends. */
  async wakeChat(session: SqlSession, { channel_id, chat_id }: ChatKey, atMs: number): Promise<void> {
    await session.query(
      `UPDATE channel_chat SET work_at = COALESCE(work_at, $1) WHERE channel_id = $2 AND chat_id = $3`,
      [atMs, channel_id, chat_id],
    );
  }

  /** Why nothing can be sent to the chat; null while it can. */
  async closedReason({ channel_id, chat_id }: ChatKey): Promise<string | null> {
    return (await this.entities.manager.findOneBy(ChannelChat, { channel_id, chat_id }))?.closed_reason ?? null;
  }

  /** @returns false if it is no longer queued */
  async noteSending(session: SqlSession, { seq }: ChannelMessage, nowMs: number): Promise<boolean> {
    const sending = { status: 'sending' as const, attempts: () => 'attempts + 1', updated_at: nowMs };
    const { affected } = await this.entities.within(session).update(ChannelMessage, { seq, status: 'queued' }, sending);
    return affected !== 0;
  }

  /**
   * Stores the outcome of a call, even of one given up meanwhile: this is better known. The platform may have reported earlier that it
   * could not deliver what it accepted.
   */
  async noteOutcome(
    session: SqlSession,
    { seq, channel_id }: ChannelMessage,
    outcome: OutboundOutcome,
    nowMs: number,
  ): Promise<boolean> {
    await session.query(
      `UPDATE channel_message SET status = $1, reason = $2, external_id = COALESCE($3, external_id), updated_at = $4
       WHERE seq = $5 AND status IN ('queued', 'sending', 'unknown')`,
      [outcome.status, outcome.reason, outcome.externalId, nowMs, seq],
    );
    if (outcome.externalId === null) return outcome.status === 'failed';
    return this.noteEarlyFailure(session, seq, channel_id, outcome.externalId);
  }

  private async noteEarlyFailure(
    session: SqlSession,
    seq: number,
    channelId: string,
    externalId: string,
  ): Promise<boolean> {
    const rows = await session.query(
      `UPDATE channel_message SET status = 'failed', reason = failure.words
       FROM (SELECT reason AS words FROM channel_message
         WHERE channel_id = $1 AND external_id = $2 AND direction = 'in' AND kind = 'delivery' AND status = 'done'
         ORDER BY seq LIMIT 1) AS failure
       WHERE seq = $3 AND status = 'sent' RETURNING channel_message.seq`,
      [channelId, externalId, seq],
    );
    return rows.length > 0;
  }

  async failQueued(session: SqlSession, chat: ChatKey, reason: string, nowMs: number): Promise<void> {
    const failed = { status: 'failed' as const, reason, updated_at: nowMs };
    await this.entities.within(session).update(ChannelMessage, queuedIn(chat), failed);
  }

  async closeChat(session: SqlSession, { channel_id, chat_id }: ChatKey, reason: string): Promise<void> {
    await this.entities.within(session).update(ChannelChat, { channel_id, chat_id }, { closed_reason: reason });
  }

  /** Moves waiting messages to the chat's new id; its sessions keep the old one. */
  async moveChat(session: SqlSession, chat: ChatKey, newChatId: string, nowMs: number): Promise<void> {
    const entities = this.entities.within(session);
    const questions = { ...queuedIn(chat), group_key: answerKeyOf(chat.chat_id) };
    await entities.update(ChannelMessage, questions, { group_key: answerKeyOf(newChatId) });
    await entities.update(ChannelMessage, queuedIn(chat), { chat_id: newChatId });
    await session.query(
      `INSERT INTO channel_chat (channel_id, chat_id, session_chat_id, work_at, created_at)
       SELECT channel_id, CAST($1 AS text), session_chat_id, CAST($2 AS bigint), CAST($2 AS bigint) FROM channel_chat WHERE channel_id = $3 AND chat_id = $4
       ON CONFLICT (channel_id, chat_id) DO UPDATE SET work_at = EXCLUDED.work_at`,
      [newChatId, nowMs, chat.channel_id, chat.chat_id],
    );
  }
}

export function queuedIn({ channel_id, chat_id }: ChatKey) {
  return { channel_id, chat_id, direction: 'out' as const, status: 'queued' as const };
}
