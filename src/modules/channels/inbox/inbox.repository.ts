import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database, type Dialect, type SqlSession, type SqlValue } from '../../../database/database.js';
import { PortDataSource } from '../../../database/port-data-source.js';
import { sqlLiteral, sqlTuple } from '../../../database/sql-literal.js';
import { toChannel } from '../accounts/channels.repository.js';
import { ChannelAgent } from '../accounts/channel-agent.entity.js';
import type { ChannelChat } from '../messages/channel-chat.entity.js';
import type { Channel } from '../accounts/channel.entity.js';
import { ChannelMessage } from '../messages/channel-message.entity.js';
import { answerKeyOf, type OpenQuestion } from '../messages/open-question.js';
import type { NewMessage } from './inbound-row.js';

/** A channel id, with a chat id or another value of that channel. */
export type ChatPair = readonly [channelId: string, chatId: string];

/** A chat whose sessions started under another id. */
export type MovedChat = Pick<ChannelChat, 'channel_id' | 'chat_id' | 'session_chat_id'>;

/** A message that waits for its next part: its place and its sender. */
export type GatheringPlace = Pick<NewMessage, 'channel_id' | 'chat_id' | 'topic' | 'user_id' | 'thread_id'>;

/** What is known about the chats of a delivery. */
export interface KnownChats {
  moved: MovedChat[];
  gathering: GatheringPlace[];
  /** In the order in which they were asked. */
  questions: OpenQuestion[];
}

/** The last notice in a chat about a message that its platform does not deliver. */
export type LostReply = Pick<NewMessage, 'id' | 'channel_id' | 'created_at'> & { chat_id: string };

/** What a further part changes in the message that it belongs to. */
export interface GatheringChange {
  id: string;
  payload: string;
  /** When the message stops waiting; null for now. */
  dueAtMs: number | null;
}

export interface SessionWork {
  threadId: string;
  channelId: string;
  agentName: string;
}

/** What an update says about a chat. */
export interface ChatChange {
  channelId: string;
  chatId: string;
  sessionChatId: string;
  /** Somebody wrote or pressed a button, which reopens a closed chat. */
  isHeard: boolean;
  /** The chat's lane has something to do. */
  hasWork: boolean;
  closedReason: string | null;
}

/** Unproven messages kept per channel. */
const UNPROVEN_KEPT = 200;
const UNPROVEN_DELETED = 1000;

/** The columns that a new message fills. */
const COLUMNS = [
  ...(['id', 'channel_id', 'direction', 'kind', 'dedup_key', 'external_id', 'chat_id', 'topic'] as const),
  ...(['user_id', 'user_name', 'text', 'payload', 'status', 'reason', 'agent_name', 'thread_id'] as const),
  ...(['part_of', 'group_key', 'due_at'] as const),
  ...(['created_at', 'updated_at'] as const),
];

@Injectable()
export class InboxRepository {
  constructor(
    private readonly database: Database,
    private readonly entities: PortDataSource,
  ) {}

  /** The channels, locked against deletion until the transaction ends. */
  async findChannels(session: SqlSession, ids: readonly string[]): Promise<Channel[]> {
    const { dialect } = this.database;
    const lock = dialect === 'postgres' ? 'ORDER BY id FOR KEY SHARE' : '';
    const sql = `SELECT * FROM channel WHERE id IN ${sqlTuple(ids, dialect)} ${lock}`;
    return (await session.query<Channel>(sql)).map(toChannel);
  }

  findAgents(session: SqlSession, channelIds: readonly string[]): Promise<ChannelAgent[]> {
    return this.entities.within(session).findBy(ChannelAgent, { channel_id: In([...channelIds]) });
  }

  /** Which of these chats have moved, and which messages in them wait for a part or for an answer; in one query. */
  async findChats(session: SqlSession, chats: readonly ChatPair[]): Promise<KnownChats> {
    if (chats.length === 0) return { moved: [], gathering: [], questions: [] };
    const among = `(channel_id, chat_id) IN (VALUES ${this.tuplesOf(chats)})`;
    const asked = this.tuplesOf(chats.map(([channelId, chatId]) => [channelId, answerKeyOf(chatId)]));
    const noText = (name: string) => `CAST(NULL AS text) AS ${name}`;
    const rows = await session.query<MovedChat & GatheringPlace & OpenQuestion & { found: string; seq: number }>(
      `SELECT 'moved' AS found, 0 AS seq, channel_id, chat_id, session_chat_id, ${noText('topic')}, ${noText('user_id')},
         ${noText('thread_id')}, ${noText('id')}, ${noText('external_id')}, ${noText('payload')}
       FROM channel_chat WHERE ${among} AND session_chat_id <> chat_id
       UNION ALL SELECT 'gathering', 0, channel_id, chat_id, NULL, topic, user_id, thread_id, NULL, NULL, NULL
       FROM channel_message WHERE ${among} AND due_at IS NOT NULL
       UNION ALL SELECT 'question', seq, channel_id, chat_id, NULL, NULL, NULL, thread_id, id, external_id, payload
       FROM channel_message WHERE (channel_id, group_key) IN (VALUES ${asked}) AND group_key IS NOT NULL
         AND direction = 'out' AND status IN ('sending', 'sent', 'unknown')`,
    );
    return {
      moved: rows.filter(({ found }) => found === 'moved'),
      gathering: rows.filter(({ found }) => found === 'gathering'),
      questions: rows.filter(({ found }) => found === 'question').sort((a, b) => Number(a.seq) - Number(b.seq)),
    };
  }

  /**
   * Locks these chats against other receivers until the transaction ends, in the order used everywhere: sessions, then chats.
   * SQLite has only one writer anyway.
   */
  async lockChats(
    session: SqlSession,
    threadIds: readonly string[],
    news: readonly ChatChange[],
    nowMs: number,
  ): Promise<void> {
    const { dialect } = this.database;
    if (dialect !== 'postgres' || news.length === 0) return;
    const sessions =
      threadIds.length === 0
        ? ''
        : `SELECT thread_id FROM channel_session WHERE thread_id IN ${sqlTuple([...threadIds], dialect)}
           ORDER BY thread_id COLLATE "C" FOR UPDATE;`;
    const sorted = [...new Map(news.map((one) => [keyOf(one), one])).values()].sort((a, b) =>
      keyOf(a) < keyOf(b) ? -1 : 1,
    );
    const tuples = sorted.map(({ channelId, chatId, sessionChatId }) =>
      sqlTuple([channelId, chatId, sessionChatId, nowMs], dialect),
    );
    await session.execute(
      `${sessions} INSERT INTO channel_chat (channel_id, chat_id, session_chat_id, created_at) VALUES ${tuples.join(',')}
       ON CONFLICT (channel_id, chat_id) DO UPDATE SET created_at = channel_chat.created_at;`,
    );
  }

  /**
   * The messages of these chats that wait for their next part, and those that began one of these albums (pairs of channel and key), in
   * order of arrival. None of them can get its turn before the transaction ends.
   */
  findGathering(
    session: SqlSession,
    chats: readonly ChatPair[],
    albums: readonly ChatPair[],
  ): Promise<ChannelMessage[]> {
    const begun =
      albums.length === 0
        ? ''
        : `OR ((channel_id, group_key) IN (VALUES ${this.tuplesOf(albums)}) AND group_key IS NOT NULL)`;
    return session.query<ChannelMessage>(
      `SELECT * FROM channel_message
       WHERE ((channel_id, chat_id) IN (VALUES ${this.tuplesOf(chats)}) AND due_at IS NOT NULL) ${begun}
       ORDER BY seq ${this.database.dialect === 'postgres' ? 'FOR UPDATE' : ''}`,
    );
  }

  private tuplesOf(pairs: readonly ChatPair[]): string {
    return pairs.map((pair) => sqlTuple(pair, this.database.dialect)).join(', ');
  }

  /** Which of the keys are stored already. */
  async findStoredKeys(session: SqlSession, channelId: string, keys: readonly string[]): Promise<string[]> {
    const rows = await this.entities.within(session).find(ChannelMessage, {
      select: { dedup_key: true },
      where: { channel_id: channelId, direction: 'in', dedup_key: In([...keys]) },
    });
    return rows.map(({ dedup_key }) => dedup_key);
  }

  /** The last message with this text in each chat. */
  findLastOf(session: SqlSession, text: string, chats: readonly ChatPair[]): Promise<LostReply[]> {
    const said = `SELECT MAX(seq) FROM channel_message
      WHERE (channel_id, chat_id) IN (VALUES ${this.tuplesOf(chats)}) AND direction = 'out' AND text = $1`;
    return session.query(
      `SELECT id, channel_id, chat_id, created_at FROM channel_message
       WHERE seq IN (${said} GROUP BY channel_id, chat_id)`,
      [text],
    );
  }

  /** Stores the rows in order, except those whose key exists. Returns the ids of the stored ones. */
  async insert(session: SqlSession, rows: readonly NewMessage[]): Promise<Set<string>> {
    if (rows.length === 0) return new Set();
    const tuples = rows.map((row) =>
      sqlTuple([...COLUMNS.map((column) => row[column]), 0, false], this.database.dialect),
    );
    const inserted = await session.query<{ id: string }>(
      `INSERT INTO channel_message (${COLUMNS.join(', ')}, attempts, is_told) VALUES ${tuples.join(',')}
       ON CONFLICT (channel_id, direction, dedup_key) DO NOTHING RETURNING id`,
    );
    return new Set(inserted.map(({ id }) => id));
  }

  /**
   * Wakes these sessions, and stores what is now known about these chats and messages in parts; creates new ones. One script, so one round
   * trip.
   */
  async noteNews(
    session: SqlSession,
    works: readonly SessionWork[],
    gathering: readonly GatheringChange[],
    news: readonly ChatChange[],
    nowMs: number,
  ): Promise<void> {
    const { dialect } = this.database;
    const script =
      sessionsScript(works, nowMs, dialect) +
      gathering.map((change) => gatheringScript(change, dialect)).join('') +
      chatsScript(news, nowMs, dialect);
    if (script !== '') await session.execute(script);
  }

  /** Moves queued messages to the chat's new id. */
  async moveQueued(session: SqlSession, channelId: string, fromChatId: string, toChatId: string): Promise<void> {
    const queued = { channel_id: channelId, chat_id: fromChatId, direction: 'out', status: 'queued' } as const;
    const entities = this.entities.within(session);
    const questions = { ...queued, group_key: answerKeyOf(fromChatId) };
    await entities.update(ChannelMessage, questions, { group_key: answerKeyOf(toChatId) });
    await entities.update(ChannelMessage, queued, { chat_id: toChatId });
  }

  /**
   * The platform accepted a message of ours but could not deliver it.
   * @param row the failure, already stored: if no message has its id yet, the outbox finds this row when it stores that id
   * @returns the messages that failed
   */
  async noteFailure(session: SqlSession, row: NewMessage, nowMs: number): Promise<ChannelMessage[]> {
    const failed = await this.failSent(session, row, nowMs);
    if (failed.length > 0 || this.database.dialect !== 'postgres') return failed;
    // The id may be about to be stored by a transaction that cannot see this one; wait for it, then look again.
    await session.query(
      `SELECT 1 AS held FROM channel_message
       WHERE channel_id = $1 AND chat_id = $2 AND direction = 'out' AND status = 'sending' ORDER BY seq FOR UPDATE`,
      [row.channel_id, row.chat_id],
    );
    return this.failSent(session, row, nowMs);
  }

  /** Anybody can send unproven messages, so only the newest are kept. */
  async trimUnproven(session: SqlSession, channelId: string, reason: string): Promise<void> {
    await session.query(
      `DELETE FROM channel_message WHERE seq IN (
         SELECT seq FROM channel_message WHERE channel_id = $1 AND direction = 'in' AND status = 'dropped' AND reason = $2
         ORDER BY seq DESC LIMIT ${UNPROVEN_DELETED} OFFSET ${UNPROVEN_KEPT})`,
      [channelId, reason],
    );
  }

  /** @returns the messages with this id */
  private async failSent(session: SqlSession, row: NewMessage, nowMs: number): Promise<ChannelMessage[]> {
    const { channel_id, external_id, reason } = row;
    const entities = this.entities.within(session);
    const sent = { channel_id, external_id: external_id!, direction: 'out' as const };
    const open = { ...sent, status: In(['sending', 'sent', 'unknown']) };
    const messages = await entities.findBy(ChannelMessage, open);
    const { affected } = await entities.update(ChannelMessage, open, { status: 'failed', reason, updated_at: nowMs });
    return affected === 0 ? [] : messages;
  }
}

/** Always locks rows in the same order, to prevent deadlocks. */
function sessionsScript(works: readonly SessionWork[], nowMs: number, dialect: Dialect): string {
  if (works.length === 0) return '';
  const sorted = [...works].sort((a, b) => (a.threadId < b.threadId ? -1 : 1));
  const tuples = sorted.map((one) => sqlTuple([one.threadId, one.channelId, one.agentName, nowMs, nowMs], dialect));
  return `INSERT INTO channel_session (thread_id, channel_id, agent_name, work_at, created_at) VALUES ${tuples.join(',')}
    ON CONFLICT (thread_id) DO UPDATE SET work_at = CASE
      WHEN channel_session.work_at < excluded.work_at THEN channel_session.work_at ELSE excluded.work_at END;`;
}

function gatheringScript({ id, payload, dueAtMs }: GatheringChange, dialect: Dialect): string {
  return `UPDATE channel_message SET payload = ${sqlLiteral(payload, dialect)}, due_at = ${dueAtMs ?? 'NULL'}
    WHERE id = ${sqlLiteral(id, dialect)} AND turn_at IS NULL;`;
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

function keyOf({ channelId, chatId }: ChatChange): string {
  return `${channelId} ${chatId}`;
}
