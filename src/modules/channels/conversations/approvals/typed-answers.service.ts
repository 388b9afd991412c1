import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../common/clock.js';
import { GroupCommit } from '../../../../queue/group-commit.js';
import { WakeSignal } from '../../../../queue/wake-signal.js';
import { ApprovalsLookupService } from '../../../approvals/approvals-lookup.service.js';
import type { OpenChannel } from '../../accounts/channel-accounts.service.js';
import type { ChannelMessage, MessagePayload } from '../../messages/channel-message.entity.js';
import { OutboxQueueRepository } from '../../messages/outbox-queue.repository.js';
import { splitText } from '../../platforms/text-splitter.js';
import { deciderIn, isApprover } from './approvers.js';
import { askedQuestions, readReply } from './asked-questions.js';
import { ChatApprovalsRepository } from './chat-approvals.repository.js';
import { ChatDecisions, NOT_ALLOWED, TOO_LATE } from './chat-decisions.service.js';
import type { QuestionPayload } from './question-draft.js';

/** What happens to a text, and what its author is told. */
interface TextVerdict {
  status: 'done' | 'dropped';
  /** For the message log; null if it answered. */
  reason: string | null;
  /** In Markdown. */
  hint: string | null;
  /** It answers nothing that waits for this person; unless it is a reply, it was not meant to. */
  isAstray?: true;
}

/** Texts of one chat handled at a time. */
const BATCH = 20;

/** Answers questions with the texts that people write. */
@Injectable()
export class TypedAnswers {
  constructor(
    private readonly repository: ChatApprovalsRepository,
    private readonly decisions: ChatDecisions,
    private readonly lookup: ApprovalsLookupService,
    private readonly queue: OutboxQueueRepository,
    private readonly group: GroupCommit,
    private readonly work: WakeSignal,
    private readonly clock: Clock,
  ) {}

  /**
   * Handles the next batch of a chat's texts that may be answers. Repeating an answer after a crash changes nothing.
   * @returns whether more may wait
   */
  async handleWaiting(open: OpenChannel, chatId: string): Promise<boolean> {
    const waiting = await this.repository.received(open.channel.id, chatId, 'answer', BATCH);
    for (const text of waiting) await this.handle(open, text);
    return waiting.length === BATCH;
  }

  private async handle(open: OpenChannel, text: ChannelMessage): Promise<void> {
    const verdict = await this.judge(open, text);
    if (verdict.isAstray && !payloadOf(text).is_reply) return this.handOn(text);
    await this.group.run(async (session) => {
      await this.repository.close(session, text, verdict, this.clock.nowMs());
      if (verdict.hint !== null)
        await this.queue.enqueue(session, hintFor(open, text, verdict.hint), this.clock.nowMs());
    });
  }

  /** Hands the text on as an ordinary message. */
  private async handOn(text: ChannelMessage): Promise<void> {
    await this.group.run((session) => this.repository.handOn(session, text, this.clock.nowMs()));
    this.work.notify();
  }

  private async judge(open: OpenChannel, text: ChannelMessage): Promise<TextVerdict> {
    if (!isApprover(open, text.user_id)) return astray('not an approver', NOT_ALLOWED);
    const question = await this.repository.findQuestion(text.channel_id, payloadOf(text).answers ?? '');
    const { approval: identity } = JSON.parse(question?.payload ?? '{}') as Partial<QuestionPayload>;
    const approval = identity ? await this.lookup.find(identity) : null;
    const asked = approval && askedQuestions(approval);
    if (!asked) return astray('its question is gone', TOO_LATE);
    const read = readReply(asked, text.text);
    if ('hint' in read) {
      if (approval.status !== 'pending') return astray('its question is closed', TOO_LATE);
      return { status: 'dropped', reason: 'no answer that the question takes', hint: read.hint };
    }
    const { answers } = read;
    const late = await this.decisions.decide(approval, { verb: 'answer', answers, decidedBy: deciderIn(open, text) });
    return late === null ? { status: 'done', reason: null, hint: null } : astray(late, TOO_LATE);
  }
}

function astray(reason: string, hint: string): TextVerdict {
  return { status: 'dropped', reason, hint, isAstray: true };
}

function payloadOf({ payload }: ChannelMessage): MessagePayload {
  return JSON.parse(payload ?? '{}') as MessagePayload;
}

function hintFor({ adapter }: OpenChannel, text: ChannelMessage, hint: string) {
  return {
    ...{ channelId: text.channel_id, chat: { chatId: text.chat_id ?? '', topic: text.topic } },
    ...{ kind: 'text' as const, dedupKey: `hint:${text.id}`, text: splitText(hint, adapter.maxTextLength)[0] ?? hint },
    ...{ payload: null, agentName: null, threadId: null, runId: null },
  };
}
