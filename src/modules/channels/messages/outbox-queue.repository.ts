import { Injectable } from '@nestjs/common';
import { newId } from '../../../common/ids.js';
import { Database, type SqlSession } from '../../../database/database.js';
import type { ChatAddress } from '../platforms/outbound-message.js';

/** A message to send. */
export interface OutboundDraft {
  /** Set if something must know it beforehand; otherwise new. */
  id?: string;
  channelId: string;
  chat: ChatAddress;
  kind: 'text' | 'question' | 'edit' | 'file';
  /** Its purpose, within its channel: a second message with this key is left out. */
  dedupKey: string;
  text: string;
  /** JSON with the details of its kind; null for none. */
  payload: string | null;
  agentName: string | null;
  threadId: string | null;
  runId: string | null;
  /** For a question that a text may answer. */
  groupKey?: string | null;
}

/** Queues messages in the transaction that causes them. */
@Injectable()
export class OutboxQueueRepository {
  constructor(private readonly database: Database) {}

  /** Queues it in a transaction of its own. */
  async enqueueAlone(draft: OutboundDraft, nowMs: number): Promise<void> {
    await this.database.transaction((session) => this.enqueue(session, draft, nowMs));
  }

  /** @returns false if it was already queued */
  async enqueue(session: SqlSession, draft: OutboundDraft, nowMs: number): Promise<boolean> {
    const { channelId, chat, kind, dedupKey, text, payload, agentName, threadId, runId, groupKey } = draft;
    const rows = await session.query(
      `INSERT INTO channel_message (id, channel_id, direction, kind, dedup_key, chat_id, topic, text, payload, status,
         agent_name, thread_id, run_id, group_key, attempts, is_told, created_at, updated_at)
       VALUES ($1, $2, 'out', $3, $4, $5, $6, $7, $8, 'queued', $9, $10, $11, $12, 0, FALSE, $13, $13)
       ON CONFLICT (channel_id, direction, dedup_key) DO NOTHING RETURNING id`,
      [
        ...[draft.id ?? newId(), channelId, kind, dedupKey, chat.chatId, chat.topic, text, payload],
        ...[agentName, threadId, runId, groupKey ?? null, nowMs],
      ],
    );
    if (rows.length > 0) await this.wakeChat(session, channelId, chat.chatId, nowMs);
    return rows.length > 0;
  }

  /** A chat that waits for its rate limit, or is leased, keeps its time; other chats are due now. */
  private async wakeChat(session: SqlSession, channelId: string, chatId: string, nowMs: number): Promise<void> {
    await session.query(
      `INSERT INTO channel_chat (channel_id, chat_id, session_chat_id, work_at, created_at) VALUES ($1, $2, $2, $3, $3)
       ON CONFLICT (channel_id, chat_id) DO UPDATE SET work_at = COALESCE(channel_chat.work_at, EXCLUDED.work_at)`,
      [channelId, chatId, nowMs],
    );
  }
}
