import { Injectable } from '@nestjs/common';
import { In, IsNull, LessThan, Not } from 'typeorm';
import { CLOCK_TOLERANCE_MS } from '../../../../common/clock-jumps.js';
import { ChannelsConfig } from '../../../../config/channels.config.js';
import { Database, type BoundStatement, type SqlSession } from '../../../../database/database.js';
import { PortDataSource } from '../../../../database/port-data-source.js';
import { LOST_SERVERS_SQL } from '../../../../database/postgres-servers.js';
import { sqlTuple } from '../../../../database/sql-literal.js';
import { ChannelMessage, type InboundStatus, type MessagePayload } from '../../messages/channel-message.entity.js';
import { ChannelSession } from '../../messages/channel-session.entity.js';
import { joinParts } from '../../messages/joined-parts.js';
import { contextOf } from '../../messages/message-context.js';

/** Sessions woken per statement. */
const CHUNK = 500;

/** Messages that their agent has not taken yet, or whose run's retry it has not taken yet. */
const WAITS_FOR_AGENT = `(status = 'received' OR retry_asked_at IS NOT NULL)`;

const MESSAGE_IN = { direction: 'in', kind: 'message' } as const;

export interface MessageEnding {
  status: Extract<InboundStatus, 'done' | 'dropped' | 'failed'>;
  /** For the message log; null if all went well. */
  reason: string | null;
  /** The text for the person; null for none. */
  reply: string | null;
}

/** The queue of messages to agents. */
@Injectable()
export class DispatchRepository {
  /** Servers that were lost when this one last looked, and until when it waits for what was sent to them. */
  private lost = { servers: 0, untilMs: 0 };

  constructor(
    private readonly database: Database,
    private readonly entities: PortDataSource,
    private readonly config: ChannelsConfig,
  ) {}

  /**
   * The message whose turn it is in a session; null if there is none. The first call also stores the thread's position before the turn and
   * what the agent will be told. The session must be leased.
   */
  async takeTurn(session: SqlSession, threadId: string, nowMs: number): Promise<ChannelMessage | null> {
    const started = await this.first(session, threadId, 'started');
    const next = started ?? (await this.first(session, threadId, 'received'));
    if (next === null || next.turn_at !== null) return next;
    const head = next.group_key === null ? next : await this.joinedAt(session, next, nowMs);
    if (head === null) return null;
    const marked = await session.query<ChannelMessage>(
      `UPDATE channel_message SET turn_at = $1,
         since_seq = COALESCE(since_seq, (SELECT last_seq FROM thread WHERE id = $2), 0),
         since_message = COALESCE(since_message, (SELECT next_message FROM thread WHERE id = $2), 0),
         payload = $3, text = $4, due_at = NULL
       WHERE seq = $5 RETURNING *`,
      [nowMs, threadId, await this.payloadInTurn(session, head), head.text, head.seq],
    );
    return marked[0] ?? null;
  }

  /**
   * The message with all its parts; null while it waits for the next part or a receiver is adding one. It never waits for a receiver, which
   * may be waiting for the session.
   */
  private async joinedAt(session: SqlSession, { seq }: ChannelMessage, nowMs: number): Promise<ChannelMessage | null> {
    const locking = this.database.dialect === 'postgres' ? 'FOR UPDATE SKIP LOCKED' : '';
    const [head] = await session.query<ChannelMessage>(`SELECT * FROM channel_message WHERE seq = $1 ${locking}`, [
      seq,
    ]);
    if (head === undefined || dueAtOf(head, nowMs) > nowMs) return null;
    const untilMs = head.due_at === null ? nowMs : await this.lostUntil(session, nowMs);
    // A time further ahead was noted before the clock was set back.
    if (untilMs > nowMs && untilMs <= nowMs + LONGEST_GATHER_MS) {
      await this.extendWaits(session, untilMs);
      return null;
    }
    const payload = payloadOf(head);
    if (payload === null || payload.context) return head;
    const parts = await session.query<ChannelMessage>('SELECT * FROM channel_message WHERE part_of = $1', [head.id]);
    if (parts.length === 0) return head;
    const joined = joinParts(
      { row: head, payload },
      parts.map((row) => ({ row, payload: payloadOf(row)! })),
    );
    return { ...head, text: joined.text, payload: JSON.stringify(joined.payload) };
  }

  /** Until when the platform may repeat what it sent to another server that has died since the last look; only PostgreSQL has others. */
  private async lostUntil(session: SqlSession, nowMs: number): Promise<number> {
    if (this.database.dialect !== 'postgres') return nowMs;
    const [found] = await session.query<{ lost: unknown }>(LOST_SERVERS_SQL);
    const servers = Number(found?.lost);
    this.lost = { servers, untilMs: servers > this.lost.servers ? nowMs + LONGEST_GATHER_MS : this.lost.untilMs };
    return this.lost.untilMs;
  }

  /** The payload with what the agent will be told. */
  private async payloadInTurn(session: SqlSession, head: ChannelMessage): Promise<string | null> {
    const payload = payloadOf(head);
    if (payload === null || payload.context) return head.payload;
    const { reply_to } = payload;
    const album = payload.late_for === undefined ? [] : await this.findAlbum(session, head);
    const quoted =
      reply_to?.isHere && reply_to.messageId ? await this.findQuoted(session, head, reply_to.messageId) : null;
    const context = contextOf(head, payload, { quoted, album }, this.config.attachmentMaxBytes);
    const isUnknown = reply_to?.isHere === true && context.reply_to?.text === null;
    return JSON.stringify({ ...payload, context, ...(isUnknown ? { is_reply_unknown: true } : {}) });
  }

  /** The message in a chat with this platform id; null if the log has none. */
  private findQuoted(
    session: SqlSession,
    { channel_id, chat_id }: ChannelMessage,
    messageId: string,
  ): Promise<ChannelMessage | null> {
    const kind = In(['message', 'answer', 'text', 'question', 'edit', 'file']);
    // A question and its outcome may have one id.
    return this.entities.within(session).findOne(ChannelMessage, {
      where: { channel_id, external_id: messageId, chat_id: orNull(chat_id), kind },
      order: { seq: 'ASC' },
    });
  }

  /** The earlier messages of the album, in order of arrival. */
  private findAlbum(session: SqlSession, head: ChannelMessage): Promise<ChannelMessage[]> {
    const { channel_id, chat_id, topic, user_id, group_key, seq } = head;
    const place = { channel_id, chat_id: orNull(chat_id), topic: orNull(topic), user_id: orNull(user_id) };
    return this.entities.within(session).find(ChannelMessage, {
      where: { ...MESSAGE_IN, ...place, group_key: group_key!, seq: LessThan(seq) },
      order: { seq: 'ASC' },
    });
  }

  async notePayload(session: SqlSession, { seq }: ChannelMessage, payload: string): Promise<void> {
    await this.entities.within(session).update(ChannelMessage, { seq, ...MESSAGE_IN }, { payload });
  }

  /** When the next message of the session can have its turn; null if none waits. */
  async nextTurnAt(session: SqlSession, threadId: string, nowMs: number): Promise<number | null> {
    const next = await this.first(session, threadId, 'received');
    return next && dueAtOf(next, nowMs);
  }

  /** At the start of a server: platforms repeat within 10 seconds what they could not deliver while it was away. */
  async waitForParts(nowMs: number): Promise<void> {
    await this.database.transaction(async (session) => {
      await this.lostUntil(session, nowMs); // the waits for those that are lost already begin now
      await this.extendWaits(session, nowMs + LONGEST_GATHER_MS);
    });
  }

  /** Extends every wait for a part to at least `untilMs`. Skips messages to which a receiver is adding a part. */
  private async extendWaits(session: SqlSession, untilMs: number): Promise<void> {
    const skipping = this.database.dialect === 'postgres' ? 'FOR UPDATE SKIP LOCKED' : '';
    await session.query(
      `UPDATE channel_message SET due_at = $1
       WHERE seq IN (SELECT seq FROM channel_message WHERE due_at IS NOT NULL AND due_at < $1 ${skipping})`,
      [untilMs],
    );
  }

  /**
   * If the thread was deleted after the turn was taken, no run is stored: it is gone, or will be in another thread than the one it was
   * asked in.
   */
  async noteStarted(session: SqlSession, { seq }: ChannelMessage, runId: string, nowMs: number): Promise<void> {
    await session.query(
      `UPDATE channel_message SET status = 'started', retry_asked_at = NULL,
         run_id = CASE WHEN turn_at IS NULL THEN NULL ELSE $1 END, reason = NULL, attempts = attempts + 1, updated_at = $2
       WHERE seq = $3 AND ${WAITS_FOR_AGENT}`,
      [runId, nowMs, seq],
    );
  }

  /** Stores a failed try. @param isTold whether the person knows that the message is kept */
  async noteTry(
    session: SqlSession,
    { seq }: ChannelMessage,
    { reason, isTold }: { reason: string; isTold: boolean },
    nowMs: number,
  ): Promise<void> {
    await session.query(
      `UPDATE channel_message SET reason = $1, is_told = $2, attempts = attempts + 1, updated_at = $3
       WHERE seq = $4 AND ${WAITS_FOR_AGENT}`,
      [reason, isTold, nowMs, seq],
    );
  }

  async close(
    session: SqlSession,
    { seq }: ChannelMessage,
    { status, reason }: Pick<MessageEnding, 'status' | 'reason'>,
    nowMs: number,
  ): Promise<void> {
    const closed = { status, reason, retry_asked_at: null, updated_at: nowMs };
    await this.entities.within(session).update(ChannelMessage, { seq }, closed);
  }

  /** Locks the session until the transaction ends. @returns false if the thread is not a session */
  async lockSession(session: SqlSession, threadId: string): Promise<boolean> {
    const locking = this.database.dialect === 'postgres' ? 'FOR UPDATE' : '';
    const sql = `SELECT 1 AS found FROM channel_session WHERE thread_id = $1 ${locking}`;
    return (await session.query(sql, [threadId])).length > 0;
  }

  /** The message that started a run, or the last of several; null if none did. */
  findMessageOf(session: SqlSession, threadId: string, runId: string): Promise<ChannelMessage | null> {
    return this.entities.within(session).findOne(ChannelMessage, {
      where: { ...MESSAGE_IN, thread_id: threadId, run_id: runId, status: In(['started', 'done', 'failed']) },
      order: { seq: 'DESC' },
    });
  }

  /** Whether another message of the session has its turn. The session must be locked. */
  isAtWork(session: SqlSession, threadId: string, { seq }: ChannelMessage): Promise<boolean> {
    const other = { thread_id: threadId, seq: Not(seq), status: In(['received', 'started']), turn_at: Not(IsNull()) };
    return this.entities.within(session).existsBy(ChannelMessage, { ...MESSAGE_IN, ...other });
  }

  /**
   * Stores that the agent is asked for a retry. An ending that the run reported earlier does not end this turn; what the run said earlier
   * still counts as its answer.
   * @returns the thread's last change before this turn
   */
  async takeTurnAgain(
    session: SqlSession,
    { seq, thread_id }: ChannelMessage,
    turnAtMs: number,
    nowMs: number,
  ): Promise<number> {
    const rows = await session.query<{ since_seq: number }>(
      `UPDATE channel_message SET status = 'started', reason = NULL, turn_at = $1, retry_asked_at = $2, updated_at = $2,
         since_seq = COALESCE((SELECT last_seq FROM thread WHERE id = $3), 0)
       WHERE seq = $4 RETURNING since_seq`,
      [turnAtMs, nowMs, thread_id, seq],
    );
    return Number(rows[0]?.since_seq ?? 0);
  }

  /** The message whose run the agent is being asked to retry; null if there is none. */
  findNotedRetry(threadId: string, traceId: string): Promise<ChannelMessage | null> {
    const noted = { thread_id: threadId, run_id: traceId, status: 'started' as const, retry_asked_at: Not(IsNull()) };
    return this.entities.manager.findOneBy(ChannelMessage, { ...MESSAGE_IN, ...noted });
  }

  /** The agent has taken the retry. Does nothing in another turn, or if this is already stored. */
  async noteRetried(session: SqlSession, seq: number, turnAtMs: number, nowMs: number): Promise<void> {
    const noted = { retry_asked_at: null, reason: null, updated_at: nowMs };
    await this.entities.within(session).update(ChannelMessage, askedInTurn(seq, turnAtMs), noted);
  }

  /**
   * Undoes `takeTurnAgain`. @param before the message as it was then @returns false if the turn has ended or changed, or the agent has
   * taken the retry
   */
  async leaveTurn(session: SqlSession, before: ChannelMessage, turnAtMs: number): Promise<boolean> {
    const { status, reason, turn_at, since_seq, attempts, updated_at, seq } = before;
    const left = { status, reason, turn_at, since_seq, attempts, updated_at, retry_asked_at: null };
    const manager = this.entities.within(session);
    return (await manager.update(ChannelMessage, askedInTurn(seq, turnAtMs), left)).affected !== 0;
  }

  /** Takes the lane from its holder, which can do nothing more in it. @param lookAtMs when to look at the session next */
  async takeFromHolder(session: SqlSession, threadId: string, lookAtMs: number): Promise<void> {
    const free = { work_at: lookAtMs, lease_owner: null, lease_until: null };
    await this.entities.within(session).update(ChannelSession, { thread_id: threadId }, free);
  }

  /** The lane's holder continues, and looks again afterwards. */
  async lookAt(session: SqlSession, threadId: string, atMs: number): Promise<void> {
    await this.entities.within(session).update(ChannelSession, { thread_id: threadId }, { work_at: atMs });
  }

  /** Wakes the sessions whose message waits for one of these agents after a failed try. @returns how many */
  async wakeWaiting(agentNames: readonly string[], nowMs: number): Promise<number> {
    const waiting = await this.database.read<{ thread_id: string }>(
      `SELECT s.thread_id FROM channel_session s
       WHERE s.agent_name IN ${sqlTuple(agentNames, this.database.dialect)} AND s.work_at > $1 AND EXISTS (
         SELECT 1 FROM channel_message m
         WHERE m.thread_id = s.thread_id AND m.status IN ('received', 'started') AND ${WAITS_FOR_AGENT}
           AND m.direction = 'in' AND m.attempts > 0)`,
      [nowMs],
    );
    for (let from = 0; from < waiting.length; from += CHUNK) {
      const ids = waiting.slice(from, from + CHUNK).map(({ thread_id }) => thread_id);
      const script = `UPDATE channel_session SET work_at = ${nowMs} WHERE thread_id IN ${sqlTuple(ids, this.database.dialect)} AND work_at > ${nowMs};`;
      await this.database.transaction((session) => session.execute(script));
    }
    return waiting.length;
  }

  /** The agent of each session, by thread; threads that are not sessions are left out. */
  async agentsOfSessions(threadIds: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.entities.manager.findBy(ChannelSession, { thread_id: In([...threadIds]) });
    return new Map(rows.map(({ thread_id, agent_name }) => [thread_id, agent_name]));
  }

  /** For the transaction that changes threads: wakes their sessions. */
  wakeStatement(threadIds: readonly string[], nowMs: number): BoundStatement {
    const places = threadIds.map((_, i) => `$${i + 2}`).join();
    const sql = `UPDATE channel_session SET work_at = $1 WHERE thread_id IN (${places})`;
    return { sql, params: [nowMs, ...threadIds] };
  }

  /**
   * For the transaction that deletes a thread: the run whose answer a message awaits is gone. A message that still waits for its agent now
   * waits for a thread that counts from its beginning again; a run already requested for it may report there first.
   * Runs after `wakeStatement`, which waits for the session's holder.
   */
  forgetTurnStatement(threadId: string): BoundStatement {
    const zeroInTurn = (column: string) => `${column} = CASE WHEN turn_at IS NULL THEN ${column} ELSE 0 END`;
    const sql = `UPDATE channel_message SET run_id = NULL, ${zeroInTurn('since_seq')}, ${zeroInTurn('since_message')}, turn_at = NULL,
        retry_asked_at = NULL
      WHERE thread_id = $1 AND status IN ('received', 'started') AND direction = 'in'`;
    return { sql, params: [threadId] };
  }

  private first(session: SqlSession, threadId: string, status: InboundStatus): Promise<ChannelMessage | null> {
    return this.entities.within(session).findOne(ChannelMessage, {
      where: { ...MESSAGE_IN, thread_id: threadId, status },
      order: { seq: 'ASC' },
    });
  }
}

/** The longest wait for a part. */
const LONGEST_GATHER_MS = 10_000;

/** When the message stops waiting for its next part. A time far beyond the longest wait was stored before the clock was set back. */
function dueAtOf({ due_at }: ChannelMessage, nowMs: number): number {
  const dueAtMs = Number(due_at ?? nowMs);
  return dueAtMs - nowMs > LONGEST_GATHER_MS + CLOCK_TOLERANCE_MS ? nowMs : Math.max(nowMs, dueAtMs);
}

function payloadOf({ payload }: ChannelMessage): MessagePayload | null {
  return JSON.parse(payload ?? 'null') as MessagePayload | null;
}

function orNull(value: string | null) {
  return value ?? IsNull();
}

/** The turn of a message whose run the agent is being asked to retry. */
function askedInTurn(seq: number, turnAtMs: number) {
  return { seq, turn_at: turnAtMs, retry_asked_at: Not(IsNull()) };
}
