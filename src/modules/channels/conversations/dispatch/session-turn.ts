import type { SqlSession } from '../../../../database/database.js';
import type { Turn, TurnFile } from '../../../threads/turns/thread-turns.service.js';
import type { OpenChannel } from '../../accounts/channel-accounts.service.js';
import type { ChannelMessage } from '../../messages/channel-message.entity.js';
import { filePartsOf, type FileParts } from '../../messages/file-message.js';
import type { OutboundDraft } from '../../messages/outbox-queue.repository.js';
import { splitText } from '../../platforms/text-splitter.js';
import type { MessageEnding } from './dispatch.repository.js';
import type { SessionLane, SessionLanes } from './session-lanes.js';

/** A failed try that will be repeated. */
export interface MessageDelay {
  reason: string;
  /** A text to the person, sent only with the first delay; null for none. */
  notice: string | null;
  waitMs: number;
}

/**
 * The message whose turn it is in a session leased by this instance. Each method stores an outcome and gives the session back in one
 * transaction; it returns when to look at the session next.
 */
export class SessionTurn {
  constructor(
    private head: ChannelMessage,
    readonly open: OpenChannel,
    private readonly lane: SessionLane,
    private readonly lanes: SessionLanes,
  ) {}

  get message(): ChannelMessage {
    return this.head;
  }

  /** Null if no message waits. */
  static of(lane: SessionLane, open: OpenChannel, lanes: SessionLanes): SessionTurn | null {
    const { head } = lane.row;
    return head && new SessionTurn(head, open, lane, lanes);
  }

  /** Whether the agent has taken the message, and its retry, so that only the run's end is pending. */
  get isFollowed(): boolean {
    return this.message.status === 'started' && this.message.retry_asked_at === null;
  }

  /** Queues the reply, then the files, and lets the session continue with its next message. */
  end({ status, reason, reply }: MessageEnding, files: readonly TurnFile[] = []): Promise<number | null> {
    const parts = reply === null ? [] : splitText(reply, this.open.adapter.maxTextLength);
    const { id, turn_at } = this.message;
    const key = `${id}:${turn_at}`;
    const texts = parts.map((text, part) => this.textFor(`reply:${key}:${part}`, text));
    const drafts = [...texts, ...this.filesFor(key, filePartsOf(files))];
    const work = async (session: SqlSession, nowMs: number) => {
      await this.lanes.repository.close(session, this.message, { status, reason }, nowMs);
      return this.lanes.repository.nextTurnAt(session, this.lane.row.thread_id, nowMs);
    };
    return this.lanes.settle(this.lane, work, drafts);
  }

  /** @param lookMs milliseconds until the session looks at the run, unless a change to the run wakes it earlier */
  start(runId: string, lookMs: number): Promise<number | null> {
    return this.lanes.settle(this.lane, async (session, nowMs) => {
      await this.lanes.repository.noteStarted(session, this.message, runId, nowMs);
      return nowMs + lookMs;
    });
  }

  delay({ reason, notice, waitMs }: MessageDelay): Promise<number | null> {
    const isTold = Boolean(this.message.is_told);
    const texts = notice === null || isTold ? [] : [this.textFor(`away:${this.message.id}`, notice)];
    const work = async (session: SqlSession, nowMs: number) => {
      await this.lanes.repository.noteTry(session, this.message, { reason, isTold: isTold || texts.length > 0 }, nowMs);
      return nowMs + waitMs;
    };
    return this.lanes.settle(this.lane, work, texts);
  }

  /** Stores what the agent will be told. @returns false if another instance has the session */
  async notePayload(payload: string): Promise<boolean> {
    const isOurs = await this.lanes.within(this.lane, (session) =>
      this.lanes.repository.notePayload(session, this.head, payload),
    );
    if (isOurs) this.head = { ...this.head, payload };
    return isOurs;
  }

  /** Stores nothing: looks again after `waitMs`. */
  wait(waitMs: number): Promise<number | null> {
    return this.lanes.giveBack(this.lane, waitMs);
  }

  private filesFor(key: string, { files, rest }: FileParts): OutboundDraft[] {
    const drafts = files.map(({ text, payload }, at) => ({
      ...this.textFor(`file:${key}:${at}`, text),
      kind: 'file' as const,
      payload: JSON.stringify(payload),
    }));
    return rest === null ? drafts : [...drafts, this.textFor(`files:${key}`, rest)];
  }

  /** A text to the chat in which the message was written. */
  private textFor(dedupKey: string, text: string): OutboundDraft {
    const { channel_id, chat_id, topic, agent_name, thread_id, run_id } = this.message;
    return {
      channelId: channel_id,
      chat: { chatId: chat_id ?? '', topic },
      kind: 'text',
      dedupKey,
      text,
      payload: null,
      agentName: agent_name,
      threadId: thread_id,
      runId: run_id,
    };
  }
}

/** The run that a message started; null if there is none, or it is gone. */
export function runOf({ thread_id, run_id, agent_name, since_seq, since_message }: ChannelMessage): Turn | null {
  if (thread_id === null || run_id === null) return null;
  const run = { threadId: thread_id, traceId: run_id, agentId: agent_name };
  return { ...run, sinceSeq: since_seq ?? 0, sinceMessage: since_message ?? 0 };
}
