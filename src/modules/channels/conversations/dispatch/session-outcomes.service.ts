import { Injectable } from '@nestjs/common';
import type { OpenChannel } from '../../accounts/channel-accounts.service.js';
import { WakeSignal } from '../../../../queue/wake-signal.js';
import type { ChannelMessage, InboundStatus } from '../../messages/channel-message.entity.js';
import { OutboxQueueRepository, type OutboundDraft } from '../../messages/outbox-queue.repository.js';
import { splitText } from '../../platforms/text-splitter.js';
import { DispatchRepository } from './dispatch.repository.js';
import { SessionLanes, type SessionLane } from './session-lanes.js';

/** How a message ends. */
export interface MessageEnding {
  status: Extract<InboundStatus, 'done' | 'dropped' | 'failed'>;
  /** For the message log; null where all went well. */
  reason: string | null;
  /** What the person gets to read; null for nothing. */
  reply: string | null;
}

/** A try that came to nothing. */
export interface MessageDelay {
  reason: string;
  /** What the person gets to read, the first time; null for nothing. */
  notice: string | null;
  waitMs: number;
}

/**
 * Writes down what became of the message whose turn it is, and gives its session back, in one transaction. All methods answer when the
 * session will be looked at next.
 */
@Injectable()
export class SessionOutcomesService {
  constructor(
    private readonly lanes: SessionLanes,
    private readonly repository: DispatchRepository,
    private readonly queue: OutboxQueueRepository,
    private readonly work: WakeSignal,
  ) {}

  /** The last word goes to the outbox, and the session to its next message. */
  async end(
    lane: SessionLane,
    message: ChannelMessage,
    { adapter }: OpenChannel,
    { status, reason, reply }: MessageEnding,
  ): Promise<number | null> {
    const parts = reply === null ? [] : splitText(reply, adapter.maxTextLength);
    const next = await this.lanes.settle(lane, async (session, nowMs) => {
      await this.repository.close(session, message, status, reason, nowMs);
      for (const [part, text] of parts.entries()) {
        await this.queue.enqueue(session, textFor(message, `reply:${message.id}:${part}`, text), nowMs);
      }
      return (await this.repository.hasWaiting(session, lane.row.thread_id)) ? nowMs : null;
    });
    if (parts.length > 0) this.work.notify();
    return next;
  }

  /** @param lookMs after which to look at the run, if nothing is heard of it before */
  start(lane: SessionLane, message: ChannelMessage, runId: string, lookMs: number): Promise<number | null> {
    return this.lanes.settle(lane, async (session, nowMs) => {
      await this.repository.noteStarted(session, message, runId, nowMs);
      return nowMs + lookMs;
    });
  }

  async delay(lane: SessionLane, message: ChannelMessage, delay: MessageDelay): Promise<number | null> {
    const { reason, waitMs } = delay;
    const notice = message.is_told ? null : delay.notice;
    const next = await this.lanes.settle(lane, async (session, nowMs) => {
      await this.repository.noteTry(session, message, reason, notice !== null, nowMs);
      if (notice !== null) await this.queue.enqueue(session, textFor(message, `away:${message.id}`, notice), nowMs);
      return nowMs + waitMs;
    });
    if (notice !== null) this.work.notify();
    return next;
  }

  /** Nothing has changed. @param waitMs null for when there is something new */
  wait(lane: SessionLane, waitMs: number | null): Promise<number | null> {
    return this.lanes.settle(lane, async (session, nowMs) => {
      if (waitMs !== null) return nowMs + waitMs;
      return (await this.repository.hasWaiting(session, lane.row.thread_id)) ? nowMs : null;
    });
  }
}

/** A text to the chat in which the message was written. */
function textFor(message: ChannelMessage, dedupKey: string, text: string): OutboundDraft {
  return {
    channelId: message.channel_id,
    chat: { chatId: message.chat_id ?? '', topic: message.topic },
    kind: 'text',
    dedupKey,
    text,
    payload: null,
    agentName: message.agent_name,
    threadId: message.thread_id,
    runId: message.run_id,
  };
}
