import type { SqlSession } from '../../../../database/database.js';
import { Injectable } from '@nestjs/common';
import { Logger } from '../../../../common/logger.js';
import type { ChannelMessage } from '../../messages/channel-message.entity.js';
import { answerKeyOf } from '../../messages/open-question.js';
import { OutboxQueueRepository } from '../../messages/outbox-queue.repository.js';
import { GroupCommit } from '../../../../queue/group-commit.js';
import { RollbackSafeClock } from '../../../../queue/rollback-safe-clock.js';
import { ChatApprovalsRepository } from './chat-approvals.repository.js';
import type { EditPayload, QuestionPayload } from './question-draft.js';

/**
 * An `unknown` question may not have arrived, so it is asked again after this pause, then after twice as long each time. A second decision
 * changes nothing, but a question that nobody sees is never decided.
 */
const ASK_AGAIN_MS = 5_000;
const LONGEST_ASK_AGAIN_MS = 5 * 60_000;

/** Until the next look at a question that no message caused and that may not have been sent. */
export const UNSENT_LOOK_MS = 30_000;

export interface QuestionDraft {
  id: string;
  dedupKey: string;
  text: string;
  payload: QuestionPayload;
}

/** Where to ask a question, and on whose behalf. */
export type QuestionPlace = Pick<
  ChannelMessage,
  'channel_id' | 'chat_id' | 'topic' | 'agent_name' | 'thread_id' | 'run_id'
>;

/** The same for a thread that no message started. */
export type ThreadPlace = QuestionPlace & { thread_id: string; agent_name: string };

/** An `unknown` question is not asked again here: the session's next look decides that. */
const NEVER_MS = -1;

/** The questions in chats, as rows of the outbox. */
@Injectable()
export class ChatQuestions {
  constructor(
    private readonly repository: ChatApprovalsRepository,
    private readonly queue: OutboxQueueRepository,
    private readonly group: GroupCommit,
    private readonly clock: RollbackSafeClock,
    private readonly logger: Logger,
  ) {}

  /**
   * Asks in the chat of the message that caused the question: once, and again if it `failed` or is `unknown` and somebody wrote in the
   * chat, or changed the channel, since.
   * @param lostByMs a question that has been `unknown` since then is asked again in any case
   * @returns whether there is something to send
   */
  async ask(message: QuestionPlace, draft: QuestionDraft, lostByMs: number): Promise<boolean> {
    return this.group.run((session) => this.queueQuestion(session, message, draft, lostByMs));
  }

  /**
   * The same for a thread that no message started, in the caller's transaction: it becomes a session of the channel, which later shows the
   * outcome.
   */
  async askWithin(session: SqlSession, place: ThreadPlace, draft: QuestionDraft): Promise<boolean> {
    const { channel_id: channelId, thread_id: threadId, agent_name: agentId } = place;
    if (!(await this.repository.holdChannel(session, channelId))) return false;
    const nowMs = this.clock.nowMs();
    const times = { nowMs, lookAtMs: nowMs + UNSENT_LOOK_MS };
    await this.repository.openSession(session, { threadId, channelId, agentId }, times);
    return this.queueQuestion(session, place, draft, NEVER_MS);
  }

  /** Whether it is time to repeat an `unknown` question. @param openedAtMs when its approval began to wait */
  isDueAgain({ updated_at }: ChannelMessage, openedAtMs: number): boolean {
    const lostAtMs = Number(updated_at);
    const pauseMs = Math.min(Math.max(ASK_AGAIN_MS, lostAtMs - openedAtMs), LONGEST_ASK_AGAIN_MS);
    return this.clock.sinceMs(lostAtMs) >= pauseMs;
  }

  /** Makes the sessions that asked look again soon, as their questions may be lost. Never fails: they also look by themselves, later. */
  async noteLost(threadIds: readonly string[]): Promise<void> {
    if (threadIds.length === 0) return;
    try {
      await this.repository.wakeAskers(threadIds, this.clock.nowMs() + ASK_AGAIN_MS);
    } catch (error) {
      this.logger.warn({ err: error }, 'possibly lost questions will be repeated later than usual');
    }
  }

  /** Withdraws a question that was not sent yet; otherwise replaces it with the outcome. */
  async tellOutcome(question: ChannelMessage, text: string): Promise<void> {
    const payload: EditPayload = { question_id: question.id };
    const dedupKey = `outcome:${question.id}`;
    const draft = { ...placeOf(question), kind: 'edit' as const, dedupKey, text, payload: JSON.stringify(payload) };
    await this.group.run(async (session) => {
      if (!(await this.repository.holdChannel(session, question.channel_id))) return;
      if (question.group_key !== null) await this.repository.closeQuestion(session, question);
      const nowMs = this.clock.nowMs();
      const reason = 'there is nothing to decide any more';
      if (!(await this.repository.takeBack(session, question, reason, nowMs))) {
        await this.queue.enqueue(session, draft, nowMs);
      }
    });
  }

  private async queueQuestion(
    session: SqlSession,
    place: QuestionPlace,
    { id, dedupKey, text, payload }: QuestionDraft,
    lostByMs: number,
  ): Promise<boolean> {
    const draft = {
      ...placeOf(place),
      id,
      kind: 'question' as const,
      dedupKey,
      text,
      payload: JSON.stringify(payload),
      groupKey: payload.asks === undefined ? null : answerKeyOf(place.chat_id ?? ''),
    };
    if (!(await this.repository.holdChannel(session, place.channel_id))) return false;
    await this.repository.setAside(session, place.channel_id, dedupKey, lostByMs);
    return this.queue.enqueue(session, draft, this.clock.nowMs());
  }
}

function placeOf({ channel_id, chat_id, topic, agent_name, thread_id, run_id }: QuestionPlace) {
  return {
    channelId: channel_id,
    chat: { chatId: chat_id ?? '', topic },
    agentName: agent_name,
    threadId: thread_id,
    runId: run_id,
  };
}
