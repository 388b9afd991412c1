import { Injectable } from '@nestjs/common';
import { Backoff } from '../../../../common/backoff.js';
import { Logger } from '../../../../common/logger.js';
import type { ChannelMessage } from '../../messages/channel-message.entity.js';
import type { SendOutcome } from '../../platforms/outbound-message.js';
import { RollbackSafeClock } from '../../../../queue/rollback-safe-clock.js';
import { ChatLanes, type ChatLane } from './chat-lanes.js';
import { OutboxRepository } from './outbox.repository.js';
import { SendPace } from './send-pace.js';

/** How long a message is worth sending that the platform does not take; a question as long as somebody may wait for its answer. */
const KEPT_MS = { text: 15 * 60_000, edit: 15 * 60_000, question: 24 * 3600_000 };
const BACKOFF = new Backoff({ firstMs: 1_000, longestMs: 60_000, hasJitter: false });

/** Writes down what became of calls to platforms, and when the chat goes on. All methods answer when it will be looked at next. */
@Injectable()
export class OutboxOutcomesService {
  constructor(
    private readonly lanes: ChatLanes,
    private readonly repository: OutboxRepository,
    private readonly pace: SendPace,
    private readonly clock: RollbackSafeClock,
    private readonly logger: Logger,
  ) {}

  /** @param intervalMs between two messages of the chat */
  async note(lane: ChatLane, row: ChannelMessage, outcome: SendOutcome, intervalMs: number): Promise<number | null> {
    this.log(row, outcome);
    switch (outcome.kind) {
      case 'sent':
        return this.close(lane, row, { status: 'sent', reason: null, externalId: outcome.messageId }, intervalMs);
      case 'unknown':
        return this.lose(lane, row, outcome.reason, intervalMs);
      case 'later':
        return this.postpone(lane, row, outcome);
      case 'refused':
        return this.refuse(lane, row, outcome);
    }
  }

  /** The message will not be sent; the chat goes on with the next. */
  fail(lane: ChatLane, row: ChannelMessage, reason: string): Promise<number | null> {
    return this.close(lane, row, { status: 'failed', reason, externalId: null }, 0);
  }

  /** Nothing that waits in the chat will be sent. */
  failAll(lane: ChatLane, reason: string): Promise<number | null> {
    return this.lanes.settle(lane, 0, (session, nowMs) => this.repository.failQueued(session, lane.row, reason, nowMs));
  }

  /** A question is asked again after a while; anything else is not repeated. */
  private lose(lane: ChatLane, row: ChannelMessage, reason: string, waitMs: number): Promise<number | null> {
    if (row.kind === 'question' && row.thread_id !== null) lane.row.lostQuestionsOf.push(row.thread_id);
    return this.close(lane, row, { status: 'unknown', reason, externalId: null }, waitMs);
  }

  private close(
    lane: ChatLane,
    row: ChannelMessage,
    outcome: Parameters<OutboxRepository['noteOutcome']>[2],
    waitMs: number,
  ): Promise<number | null> {
    const nowMs = this.clock.nowMs();
    this.pace.pauseChat(lane.row.channel_id, lane.row.chat_id, nowMs + waitMs, nowMs);
    return this.lanes.settle(lane, waitMs, (session, atMs) => this.repository.noteOutcome(session, row, outcome, atMs));
  }

  private postpone(
    lane: ChatLane,
    row: ChannelMessage,
    { reason, afterMs }: Extract<SendOutcome, { kind: 'later' }>,
  ): Promise<number | null> {
    const nowMs = this.clock.nowMs();
    const { channel_id, chat_id } = lane.row;
    const ageMs = this.clock.sinceMs(Number(row.created_at));
    if (ageMs >= KEPT_MS[row.kind as keyof typeof KEPT_MS]) return this.fail(lane, row, reason);
    // What a platform asks for may be nothing at all, and go on being nothing. It may also be longer than the longest pause.
    const waitMs = Math.max(BACKOFF.after(row.attempts + 1), afterMs ?? 0);
    if (afterMs === null) this.pace.pauseChat(channel_id, chat_id, nowMs + waitMs, nowMs);
    else this.pace.noteLimit(channel_id, chat_id, nowMs + waitMs, nowMs);
    const outcome = { status: 'queued' as const, reason, externalId: null };
    return this.lanes.settle(lane, waitMs, (session, atMs) => this.repository.noteOutcome(session, row, outcome, atMs));
  }

  private refuse(
    lane: ChatLane,
    row: ChannelMessage,
    { reason, isChatClosed, movedTo }: Extract<SendOutcome, { kind: 'refused' }>,
  ): Promise<number | null> {
    if (movedTo !== null && movedTo !== lane.row.chat_id) return this.move(lane, row, reason, movedTo);
    if (!isChatClosed) return this.fail(lane, row, reason);
    const failed = { status: 'failed' as const, reason, externalId: null };
    return this.lanes.settle(lane, 0, async (session, nowMs) => {
      await this.repository.noteOutcome(session, row, failed, nowMs);
      await this.repository.closeChat(session, lane.row, reason);
      await this.repository.failQueued(session, lane.row, reason, nowMs);
    });
  }

  private move(lane: ChatLane, row: ChannelMessage, reason: string, movedTo: string): Promise<number | null> {
    const queued = { status: 'queued' as const, reason, externalId: null };
    return this.lanes.settle(lane, 0, async (session, nowMs) => {
      await this.repository.noteOutcome(session, row, queued, nowMs);
      await this.repository.moveChat(session, lane.row, movedTo, nowMs);
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
