import { Injectable } from '@nestjs/common';
import { ApprovalsLookupService, type ApprovalFacts } from '../../../approvals/approvals-lookup.service.js';
import type { OpenChannel } from '../../accounts/channel-accounts.service.js';
import { WakeSignal } from '../../../../queue/wake-signal.js';
import type { ChannelMessage } from '../../messages/channel-message.entity.js';
import { splitText } from '../../platforms/text-splitter.js';
import { ChatQuestions, UNSENT_LOOK_MS } from './chat-questions.js';
import { draftOf, questionKey, type QuestionPayload } from './question-draft.js';
import { outcomeText } from './question-text.js';

export interface ApprovalSession {
  thread_id: string;
  agent_name: string;
  /** The message whose turn it is; null if there is none. */
  head: ChannelMessage | null;
}

/** What its chat has of the approvals that wait in a session. */
export interface ShownApprovals {
  /** An approval is pending that people were asked about, or are about to be. */
  isAsked: boolean;
  /** Milliseconds until a question has to be looked at again that may not arrive; null if all have. */
  lookMs: number | null;
}

/** Shows each pending approval in the chat once, and then its outcome, whoever decided. */
@Injectable()
export class ChatApprovalsService {
  constructor(
    private readonly approvals: ApprovalsLookupService,
    private readonly questions: ChatQuestions,
    private readonly work: WakeSignal,
  ) {}

  /** Queues the missing questions and outcomes. Safe to call at any time, concurrently and repeatedly. */
  async reconcile(open: OpenChannel, session: ApprovalSession): Promise<ShownApprovals> {
    const shown = await this.questions.openOf(session.thread_id);
    const pending = await this.pendingOf(session, shown);
    const asked = await this.ask(open, session, pending, shown);
    const told = await this.tellOutcomes(open, shown);
    if (asked.size + told > 0) this.work.notify();
    const statuses = new Map(shown.map(({ dedup_key, status }) => [dedup_key, status]));
    const statusOf = (approval: ApprovalFacts) =>
      asked.has(approval) ? 'queued' : statuses.get(questionKey(approval));
    return {
      isAsked: pending.some((approval) => !['unknown', undefined].includes(statusOf(approval))),
      lookMs: pending.every((approval) => statusOf(approval) === 'sent') ? null : UNSENT_LOOK_MS,
    };
  }

  /** Those of the message whose turn it is; if there is none those that people were asked about, as a hook's. */
  private async pendingOf(
    { thread_id, agent_name, head }: ApprovalSession,
    shown: readonly ChannelMessage[],
  ): Promise<ApprovalFacts[]> {
    if (head === null && shown.length > 0) {
      const keys = new Set(shown.map(({ dedup_key }) => dedup_key));
      return (await this.approvals.pendingOf(thread_id)).filter((approval) => keys.has(questionKey(approval)));
    }
    if (head?.status !== 'started' || head.run_id === null) return [];
    return (await this.approvals.pendingOf(thread_id)).filter((approval) => isOf(head, agent_name, approval));
  }

  /** @returns the approvals that it asks about now: for the first time, or again */
  private async ask(
    { channel, adapter }: OpenChannel,
    { head }: ApprovalSession,
    pending: readonly ApprovalFacts[],
    shown: readonly ChannelMessage[],
  ): Promise<Set<ApprovalFacts>> {
    const asked = new Set<ApprovalFacts>();
    if (!channel.enabled) return asked;
    for (const approval of pending) {
      const key = questionKey(approval);
      const before = shown.find(({ dedup_key }) => dedup_key === key);
      const place = head ?? before;
      if (!place || (before && before.status !== 'unknown')) continue;
      const draft = draftOf(approval, adapter.maxQuestionLength);
      const isLost = before !== undefined && this.questions.isDueAgain(before, approval.openedAtMs);
      if (await this.questions.ask(place, draft, isLost ? Number(before.updated_at) : -1)) asked.add(approval);
    }
    return asked;
  }

  private async tellOutcomes({ adapter }: OpenChannel, shown: readonly ChannelMessage[]): Promise<number> {
    let told = 0;
    for (const question of shown) {
      const { approval: identity } = JSON.parse(question.payload ?? '{}') as QuestionPayload;
      const approval = await this.approvals.find(identity);
      if (approval?.status === 'pending') continue;
      const text = withOutcome(question.text, outcomeText(approval), adapter.maxTextLength);
      await this.questions.tellOutcome(question, text);
      told += 1;
    }
    return told;
  }
}

/** Cuts the question, never the outcome. */
function withOutcome(question: string, outcome: string, limit: number): string {
  const [beginning = ''] = splitText(question, limit - outcome.length - 2);
  return `${beginning}\n\n${outcome}`;
}

/** Whether the approval belongs to this message: its run waits, or a run that this run started in the same thread. */
function isOf({ run_id }: ChannelMessage, agentName: string, approval: ApprovalFacts): boolean {
  return approval.traceId === run_id || approval.parentTraceId === run_id || approval.agentId !== agentName;
}
