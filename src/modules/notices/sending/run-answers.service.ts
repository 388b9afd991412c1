import { Injectable } from '@nestjs/common';
import { objectOf } from '../../../common/json-fields.js';
import { ThreadTurnsService } from '../../threads/turns/thread-turns.service.js';
import { DeliveriesRepository } from '../deliveries/deliveries.repository.js';
import type { NoticeDelivery } from '../deliveries/notice-delivery.entity.js';
import type { Notice } from '../notice.entity.js';

/** The longest answer sent to a URL. */
const MAX_ANSWER_BYTES = 16 * 1024;

/** Runs' answers, for notices that ask for them. Read when they are sent, not while the run is recorded. */
@Injectable()
export class RunAnswersService {
  constructor(
    private readonly turns: ThreadTurnsService,
    private readonly deliveries: DeliveriesRepository,
  ) {}

  /** The agent's last answer; null for other events, without an answer, or if the thread is gone. */
  async find({
    type,
    agent_id: agentId,
    thread_id: threadId,
    trace_id: traceId,
  }: Pick<NoticeDelivery, 'type' | 'agent_id' | 'thread_id' | 'trace_id'>): Promise<string | null> {
    if (type !== 'run_completed' || threadId === null || traceId === null) return null;
    return this.turns.findAnswer({ threadId, traceId, agentId });
  }

  /** The exact text to send: stored before the first attempt, so that all attempts send the same. */
  async bodyOf(notice: Notice, delivery: NoticeDelivery): Promise<string> {
    // Later attempts send the same, whatever the notice asks for by then.
    const isFirst = delivery.attempts === 0;
    if (!notice.include_answer || !isFirst || delivery.type !== 'run_completed') return delivery.body;
    const event = JSON.parse(delivery.body) as { data: Record<string, unknown> };
    if (objectOf(event.data)?.answer !== undefined) return delivery.body;
    const answer = await this.find(delivery);
    const data = { ...event.data, answer: answer === null ? null : cutBytes(answer) };
    return this.deliveries.complete(delivery, JSON.stringify({ ...event, data }));
  }
}

/** Cuts no character. */
function cutBytes(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_ANSWER_BYTES) return text;
  return new TextDecoder().decode(bytes.subarray(0, MAX_ANSWER_BYTES), { stream: true });
}
