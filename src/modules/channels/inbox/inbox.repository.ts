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

/** The ids of a channel and of a chat, or something else of it. */
export type ChatPair = readonly [channelId: string, chatId: string];

/** A chat whose sessions were begun under another id. */
export type MovedChat = Pick<ChannelChat, 'channel_id' | 'chat_id' | 'session_chat_id'>;

/** A message that waits for its next part: where, and whose. */
export type GatheringPlace = Pick<NewMessage, 'channel_id' | 'chat_id' | 'topic' | 'user_id' | 'thread_id'>;

/** What is known of the chats of a delivery. */
export interface KnownChats {
  moved: MovedChat[];
  gathering: GatheringPlace[];
  /** In the order in which they were asked. */
  questions: OpenQuestion[];
}

/** The last answer in a chat to what its platform does not pass on. */
export type LostReply = Pick<NewMessage, 'id' | 'channel_id' | 'created_at'> & { chat_id: string };

/** What a further part changes in the message that it belongs to. */
export interface GatheringChange {
  id: string;
  payload: string;
  /** When it stops waiting; null at once. */
  dueAtMs: number | null;
}

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

/** Rows of what nobody has proved that a channel keeps. */
const UNPROVEN_KEPT = 200;
const UNPROVEN_DELETED = 1000;

/** The columns that a new message fills; the others are empty. */
const COLUMNS = [
  ...(['id', 'channel_id', 'direction', 'kind', 'dedup_key', 'external_id', 'chat_id', 'topic'] as const),
  ...(['user_id', 'user_name', 'text', 'payload', 'status', 'reason', 'agent_name', 'thread_id'] as const),
  ...(['part_of', 'group_key', 'due_at'] as const),
  ...(['created_at', 'updated_at'] as const),
];

/** What the receive transaction reads and writes. */
@Injectable()
export class InboxRepository {
  constructor(
    private readonly database: Database,
    private readonly entities: PortDataSource,
  ) {}

  /** Channels that nobody deletes before the end of the transaction. */
  async findChannels(session: SqlSession, ids: readonly string[]): Promise<Channel[]> {
    const { dialect } = this.database;
    const lock = dialect === 'postgres' ? 'ORDER BY id FOR KEY SHARE' : '';
    const sql = `SELECT * FROM channel WHERE id IN ${sqlTuple(ids, dialect)} ${lock}`;
    return (await session.query<Channel>(sql)).map(toChannel);
  }

  findAgents(session: SqlSession, channelIds: readonly string[]): Promise<ChannelAgent[]> {
    return this.entities.within(session).findBy(ChannelAgent, { channel_id: In([...channelIds]) });
  }

  /** Which of these chats have moved, what waits there for its next part, or for an answer. One query, however little there is. */
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
   * Keeps other receivers from these chats until the end of the transaction, in the order in which everybody locks: sessions, then chats.
   * On SQLite nobody else writes anyway.
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
   * The messages of these chats that wait for their next part, and those that began one of these albums, as pairs of channel and key; in
   * the order of their arrival. No turn is taken of them before the end of the transaction.
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

  /** Which of the keys came in before. */
  async findStoredKeys(session: SqlSession, channelId: string, keys: readonly string[]): Promise<string[]> {
    const rows = await this.entities.within(session).find(ChannelMessage, {
      select: { dedup_key: true },
      where: { channel_id: channelId, direction: 'in', dedup_key: In([...keys]) },
    });
    return rows.map(({ dedup_key }) => dedup_key);
  }

  /** The last text of these words in each of the chats. */
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
   * Has the dispatcher look at these sessions at once, and notes what is known of these chats and messages in parts now; new ones begin.
   * One script, so that it is one round trip whatever there is.
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

  /** What waits to be sent to a chat goes to its new id. */
  async moveQueued(session: SqlSession, channelId: string, fromChatId: string, toChatId: string): Promise<void> {
    const queued = { channel_id: channelId, chat_id: fromChatId, direction: 'out', status: 'queued' } as const;
    await this.entities.within(session).update(ChannelMessage, queued, { chat_id: toChatId });
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
    const { channel_id, external_id, reason } = row;
    const sent = { channel_id, external_id: external_id!, direction: 'out' as const };
    const { affected } = await this.entities
      .within(session)
      .update(
        ChannelMessage,
        { ...sent, status: In(['sending', 'sent', 'unknown']) },
        { status: 'failed', reason, updated_at: nowMs },
      );
    return affected !== 0;
  }
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
