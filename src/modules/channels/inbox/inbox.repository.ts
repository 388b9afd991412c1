import { Injectable } from '@nestjs/common';
import { Database, type Dialect, type SqlSession, type SqlValue } from '../../../database/database.js';
import { sqlTuple } from '../../../database/sql-literal.js';
import { toAgent } from '../accounts/channel-agents.repository.js';
import { toChannel } from '../accounts/channels.repository.js';
import type { ChannelAgent } from '../accounts/channel-agent.entity.js';
import type { ChannelChat } from '../messages/channel-chat.entity.js';
import type { Channel } from '../accounts/channel.entity.js';
import type { NewMessage } from './inbound-row.js';

/** A chat whose sessions were begun under another id. */
export type MovedChat = Pick<ChannelChat, 'channel_id' | 'chat_id' | 'session_chat_id'>;

/** Something to do in a session. */
export interface SessionWork {
  threadId: string;
  channelId: string;
  agentName: string;
}

/** What an update says of a chat. */
export interface ChatChange {
  channelId: string;
  chatId: string;
  sessionChatId: string;
  /** Somebody wrote or pressed a button: what was closed is open again. */
  isHeard: boolean;
  /** There is something to do in the chat's lane. */
  hasWork: boolean;
  closedReason: string | null;
}

/** Rows of one statement, the largest first: few sizes, so that few statements are prepared. */
const SIZES = [256, 128, 64, 32, 16, 8, 4, 2, 1];
/** Rows of what nobody has proved that a channel keeps. */
const UNPROVEN_KEPT = 200;
const UNPROVEN_DELETED = 1000;

/** The columns that a new message fills; the others are empty. */
const COLUMNS = [
  ...(['id', 'channel_id', 'direction', 'kind', 'dedup_key', 'external_id', 'chat_id', 'topic'] as const),
  ...(['user_id', 'user_name', 'text', 'payload', 'status', 'reason', 'agent_name', 'thread_id'] as const),
  ...(['created_at', 'updated_at'] as const),
];

/** What the receive transaction reads and writes. */
@Injectable()
export class InboxRepository {
  constructor(private readonly database: Database) {}

  /** Channels that nobody deletes before the end of the transaction. */
  async findChannels(session: SqlSession, ids: readonly string[]): Promise<Channel[]> {
    const lock = this.database.dialect === 'postgres' ? 'ORDER BY id FOR KEY SHARE' : '';
    const params = padded(ids);
    const sql = `SELECT * FROM channel WHERE id IN (${marks(params.length)}) ${lock}`;
    return (await session.query<Channel>(sql, params)).map(toChannel);
  }

  async findAgents(session: SqlSession, channelIds: readonly string[]): Promise<ChannelAgent[]> {
    const params = padded(channelIds);
    const sql = `SELECT * FROM channel_agent WHERE channel_id IN (${marks(params.length)})`;
    return (await session.query<ChannelAgent>(sql, params)).map(toAgent);
  }

  /** Which of these chats, as pairs of channel and chat, have moved. */
  async findMovedChats(session: SqlSession, chats: readonly (readonly [string, string])[]): Promise<MovedChat[]> {
    if (chats.length === 0) return [];
    const params = padded(chats);
    const tuples = params.map((_, at) => `(${marks(2, 2 * at + 1)})`);
    const sql = `SELECT channel_id, chat_id, session_chat_id FROM channel_chat
      WHERE (channel_id, chat_id) IN (VALUES ${tuples.join(', ')}) AND session_chat_id <> chat_id`;
    return session.query<MovedChat>(sql, params.flat());
  }

  /** Which of the keys came in before. */
  async findStoredKeys(session: SqlSession, channelId: string, keys: readonly string[]): Promise<string[]> {
    const params = padded(keys);
    const sql = `SELECT dedup_key FROM channel_message
      WHERE channel_id = $1 AND direction = 'in' AND dedup_key IN (${marks(params.length, 2)})`;
    const rows = await session.query<{ dedup_key: string }>(sql, [channelId, ...params]);
    return rows.map(({ dedup_key }) => dedup_key);
  }

  /** Stores the rows in their order, but for those whose key was there already. Answers the ids of the stored ones. */
  async insert(session: SqlSession, rows: readonly NewMessage[]): Promise<Set<string>> {
    const inserted = new Set<string>();
    for (const part of partsOf(rows)) {
      const params = part.flatMap((row) => COLUMNS.map((column) => row[column]));
      const sql = `INSERT INTO channel_message (${COLUMNS.join(', ')}, attempts, is_told) VALUES ${newTuples(part.length)}
        ON CONFLICT (channel_id, direction, dedup_key) DO NOTHING RETURNING id`;
      for (const { id } of await session.query<{ id: string }>(sql, params)) inserted.add(id);
    }
    return inserted;
  }

  /**
   * Has the dispatcher look at these sessions at once, and notes what is known of these chats now; new ones begin. One script, so that
   * it is one round trip whatever there is.
   */
  async noteNews(
    session: SqlSession,
    works: readonly SessionWork[],
    news: readonly ChatChange[],
    nowMs: number,
  ): Promise<void> {
    const { dialect } = this.database;
    const script = sessionsScript(works, nowMs, dialect) + chatsScript(news, nowMs, dialect);
    if (script !== '') await session.execute(script);
  }

  /** What waits to be sent to a chat goes to its new id. */
  async moveQueued(session: SqlSession, channelId: string, fromChatId: string, toChatId: string): Promise<void> {
    await session.query(
      `UPDATE channel_message SET chat_id = $1
       WHERE channel_id = $2 AND chat_id = $3 AND direction = 'out' AND status = 'queued'`,
      [toChatId, channelId, fromChatId],
    );
  }

  /**
   * The platform took a message of ours and could not deliver it.
   * @param row of the failure, already stored: if no message has its id yet, the outbox finds the row when it notes that id
   */
  async noteFailure(session: SqlSession, row: NewMessage, nowMs: number): Promise<void> {
    if ((await this.failSent(session, row, nowMs)) || this.database.dialect !== 'postgres') return;
    // That may be noted just now, in a transaction that does not see this one: once it has ended, its message is found.
    await session.query(
      `SELECT 1 AS held FROM channel_message
       WHERE channel_id = $1 AND chat_id = $2 AND direction = 'out' AND status = 'sending' ORDER BY seq FOR UPDATE`,
      [row.channel_id, row.chat_id],
    );
    await this.failSent(session, row, nowMs);
  }

  /** Anybody can send what needs no proof: only the newest of it is kept. */
  async trimUnproven(session: SqlSession, channelId: string, reason: string): Promise<void> {
    await session.query(
      `DELETE FROM channel_message WHERE seq IN (
         SELECT seq FROM channel_message WHERE channel_id = $1 AND direction = 'in' AND status = 'dropped' AND reason = $2
         ORDER BY seq DESC LIMIT ${UNPROVEN_DELETED} OFFSET ${UNPROVEN_KEPT})`,
      [channelId, reason],
    );
  }

  /** @returns false where no message has this id */
  private async failSent(session: SqlSession, row: NewMessage, nowMs: number): Promise<boolean> {
    const rows = await session.query(
      `UPDATE channel_message SET status = 'failed', reason = $1, updated_at = $2
       WHERE channel_id = $3 AND external_id = $4 AND direction = 'out' AND status IN ('sending', 'sent', 'unknown')
       RETURNING seq`,
      [row.reason, nowMs, row.channel_id, row.external_id],
    );
    return rows.length > 0;
  }
}

/** Placeholders, from a number on. */
function marks(count: number, first = 1): string {
  return Array.from({ length: count }, (_, at) => `$${first + at}`).join(', ');
}

/** `VALUES` of so many messages that were never tried. */
function newTuples(rows: number): string {
  const tuples = Array.from({ length: rows }, (_, at) => marks(COLUMNS.length, at * COLUMNS.length + 1));
  return tuples.map((tuple) => `(${tuple}, 0, FALSE)`).join(', ');
}

/** Rows are touched in one order everywhere, so that nobody waits for each other. */
function sessionsScript(works: readonly SessionWork[], nowMs: number, dialect: Dialect): string {
  if (works.length === 0) return '';
  const sorted = [...works].sort((a, b) => (a.threadId < b.threadId ? -1 : 1));
  const tuples = sorted.map((one) => sqlTuple([one.threadId, one.channelId, one.agentName, nowMs, nowMs], dialect));
  return `INSERT INTO channel_session (thread_id, channel_id, agent_name, work_at, created_at) VALUES ${tuples.join(',')}
    ON CONFLICT (thread_id) DO UPDATE SET work_at = CASE
      WHEN channel_session.work_at < excluded.work_at THEN channel_session.work_at ELSE excluded.work_at END;`;
}

function chatsScript(news: readonly ChatChange[], nowMs: number, dialect: Dialect): string {
  if (news.length === 0) return '';
  const sorted = [...news].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const tuples = sorted.map((one) => sqlTuple(chatValues(one, nowMs), dialect));
  return `INSERT INTO channel_chat
      (channel_id, chat_id, session_chat_id, closed_reason, last_inbound_at, work_at, created_at)
    VALUES ${tuples.join(',')}
    ON CONFLICT (channel_id, chat_id) DO UPDATE SET
      session_chat_id = excluded.session_chat_id,
      closed_reason = excluded.closed_reason,
      last_inbound_at = COALESCE(excluded.last_inbound_at, channel_chat.last_inbound_at),
      work_at = CASE WHEN channel_chat.work_at <= excluded.work_at THEN channel_chat.work_at
        ELSE COALESCE(excluded.work_at, channel_chat.work_at) END;`;
}

function chatValues(news: ChatChange, nowMs: number): SqlValue[] {
  const { channelId, chatId, sessionChatId, isHeard, hasWork, closedReason } = news;
  return [channelId, chatId, sessionChatId, closedReason, isHeard ? nowMs : null, hasWork ? nowMs : null, nowMs];
}

/** The values and some more of the last, up to the next size that statements have. */
function padded<Value>(values: readonly Value[]): Value[] {
  const size = [...SIZES].reverse().find((one) => one >= values.length) ?? values.length;
  return Array.from({ length: size }, (_, at) => values[Math.min(at, values.length - 1)]!);
}

function* partsOf<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let at = 0; at < rows.length;) {
    const count = SIZES.find((size) => size <= rows.length - at) ?? 1;
    yield rows.slice(at, at + count);
    at += count;
  }
}

function keyOf({ channelId, chatId }: ChatChange): string {
  return `${channelId} ${chatId}`;
}
