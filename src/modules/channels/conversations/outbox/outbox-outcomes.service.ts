import { Injectable } from '@nestjs/common';
import { Backoff } from '../../../../common/backoff.js';
import { Logger } from '../../../../common/logger.js';
import type { ChannelMessage } from '../../messages/channel-message.entity.js';
import { noteOfLost } from '../../messages/file-message.js';
import { OutboxQueueRepository } from '../../messages/outbox-queue.repository.js';
import type { SendOutcome } from '../../platforms/outbound-message.js';
import { RollbackSafeClock } from '../../../../queue/rollback-safe-clock.js';
import { ChatLanes, type ChatLane, type ChatTurn } from './chat-lanes.js';
import { OutboxRepository, type OutboundOutcome } from './outbox.repository.js';
import { SendPace } from './send-pace.js';

/** How long to retry a message that the platform does not accept; a question for as long as somebody may wait for its answer. */
const KEPT_MS = { text: 15 * 60_000, edit: 15 * 60_000, file: 15 * 60_000, question: 24 * 3600_000 };
/** The same while the platform names a pause. */
const LIMITED_KEPT_MS = 24 * 3600_000;
const BACKOFF = new Backoff({ firstMs: 1_000, longestMs: 60_000, hasJitter: false });

/** Stores the outcomes of calls to platforms. All methods return when to look at the chat next. */
@Injectable()
export class OutboxOutcomesService {
  constructor(
    private readonly lanes: ChatLanes,
    private readonly repository: OutboxRepository,
    private readonly queue: OutboxQueueRepository,
    private readonly pace: SendPace,
    private readonly clock: RollbackSafeClock,
    private readonly logger: Logger,
  ) {}

  async note(turn: ChatTurn, outcome: SendOutcome): Promise<number | null> {
    this.log(turn.message, outcome);
    const { sendIntervalMs } = turn.open.adapter;
    switch (outcome.kind) {
      case 'sent':
        return this.close(turn, { status: 'sent', reason: null, externalId: outcome.messageId }, sendIntervalMs);
      case 'unknown':
        this.noteLost(turn);
        return this.close(turn, { status: 'unknown', reason: outcome.reason, externalId: null }, sendIntervalMs);
      case 'later':
        return this.postpone(turn, outcome);
      case 'refused':
        return this.refuse(turn, outcome);
    }
  }

  /** Gives up the message; the chat continues with the next. */
  fail(turn: ChatTurn, reason: string): Promise<number | null> {
    return this.close(turn, { status: 'failed', reason, externalId: null }, 0);
  }

  /** Fails all messages that wait in the chat. */
  failAll(lane: ChatLane, reason: string): Promise<number | null> {
    return this.lanes.settle(lane, 0, (session, nowMs) => this.repository.failQueued(session, lane.row, reason, nowMs));
  }

  /** A question is asked again after a while; nothing else is repeated. */
  private noteLost({ lane, message }: ChatTurn): void {
    if (message.kind === 'question' && message.thread_id !== null) lane.row.lostQuestionsOf.push(message.thread_id);
  }

  private close(turn: ChatTurn, outcome: OutboundOutcome, waitMs: number): Promise<number | null> {
    const nowMs = this.clock.nowMs();
    const { channel_id, chat_id } = turn.lane.row;
    this.pace.pauseChat(channel_id, chat_id, nowMs + waitMs, nowMs);
    return this.settle(turn, outcome, waitMs);
  }

  private postpone(
    turn: ChatTurn,
    { reason, afterMs }: Extract<SendOutcome, { kind: 'later' }>,
  ): Promise<number | null> {
    const nowMs = this.clock.nowMs();
    const { kind, created_at, attempts } = turn.message;
    const { channel_id, chat_id } = turn.lane.row;
    const ageMs = this.clock.sinceMs(Number(created_at));
    // What the platform asks to wait for is not the message's fault, nor is the wait behind others.
    const keptMs = afterMs === null ? KEPT_MS[kind as keyof typeof KEPT_MS] : LIMITED_KEPT_MS;
    if (ageMs >= keptMs) return this.fail(turn, reason);
    // A platform may always ask for no pause, or for one longer than the longest pause.
    const waitMs = Math.max(BACKOFF.after(attempts + 1), afterMs ?? 0);
    if (afterMs === null) this.pace.pauseChat(channel_id, chat_id, nowMs + waitMs, nowMs);
    else this.pace.noteLimit(channel_id, chat_id, nowMs + waitMs, nowMs);
    return this.settle(turn, { status: 'queued', reason, externalId: null }, waitMs);
  }

  private refuse(
    turn: ChatTurn,
    { reason, isChatClosed, movedTo }: Extract<SendOutcome, { kind: 'refused' }>,
  ): Promise<number | null> {
    const { lane, message } = turn;
    if (movedTo !== null && movedTo !== lane.row.chat_id) return this.move(turn, reason, movedTo);
    if (!isChatClosed) return this.fail(turn, reason);
    const failed = { status: 'failed' as const, reason, externalId: null };
    return this.lanes.settle(lane, 0, async (session, nowMs) => {
      await this.repository.noteOutcome(session, message, failed, nowMs);
      await this.repository.closeChat(session, lane.row, reason);
      await this.repository.failQueued(session, lane.row, reason, nowMs);
    });
  }

  private move({ lane, message }: ChatTurn, reason: string, movedTo: string): Promise<number | null> {
    const queued = { status: 'queued' as const, reason, externalId: null };
    return this.lanes.settle(lane, 0, async (session, nowMs) => {
      await this.repository.noteOutcome(session, message, queued, nowMs);
      await this.repository.moveChat(session, lane.row, movedTo, nowMs);
    });
  }

  private settle({ lane, message }: ChatTurn, outcome: OutboundOutcome, waitMs: number): Promise<number | null> {
    return this.lanes.settle(lane, waitMs, async (session, nowMs) => {
      const hasFailed = await this.repository.noteOutcome(session, message, outcome, nowMs);
      const isLost = message.kind === 'file' && hasFailed;
      if (isLost) await this.queue.enqueue(session, noteOfLost(message), nowMs);
    });
  }

  private log({ channel_id, id: message_id, kind }: ChannelMessage, outcome: SendOutcome): void {
    if (outcome.kind === 'sent') return this.logger.debug({ channel_id, message_id, kind }, 'message sent');
    this.logger.info(
      { channel_id, message_id, kind, outcome: outcome.kind, reason: outcome.reason },
      'message not sent',
    );
  }
}
