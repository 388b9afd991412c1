import { Injectable } from '@nestjs/common';
import { ApprovalsLookupService, type ApprovalFacts } from '../../../approvals/approvals-lookup.service.js';
import { ChannelAccountsService, type OpenChannel } from '../../accounts/channel-accounts.service.js';
import { WakeSignal } from '../../../../queue/wake-signal.js';
import type { ChannelMessage } from '../../messages/channel-message.entity.js';
import { splitText } from '../../platforms/text-splitter.js';
import { approversOf } from './approvers.js';
import { ChatApprovalsRepository } from './chat-approvals.repository.js';
import { ChatQuestions, UNSENT_LOOK_MS, type QuestionPlace } from './chat-questions.js';
import {
  chatKeyIn,
  chatKeyOf,
  draftOf,
  escalationKey,
  isAbout,
  isEscalated,
  questionKey,
  type QuestionPayload,
} from './question-draft.js';
import { outcomeText } from './question-text.js';

export interface ApprovalSession {
  thread_id: string;
  agent_name: string;
  /** The message whose turn it is; null if there is none. */
  head: ChannelMessage | null;
}

/** What the chat shows of the approvals that wait in a session. */
export interface ShownApprovals {
  /** Whether people were asked, or are about to be asked, about a pending approval. */
  isAsked: boolean;
  /** Milliseconds until the next look at a question that may not have arrived; null if all arrived. */
  lookMs: number | null;
}

/** Shows each pending approval in the chat once, then its outcome, whoever decided. */
@Injectable()
export class ChatApprovalsService {
  constructor(
    private readonly approvals: ApprovalsLookupService,
    private readonly questions: ChatQuestions,
    private readonly accounts: ChannelAccountsService,
    private readonly repository: ChatApprovalsRepository,
    private readonly work: WakeSignal,
  ) {}

  /** Queues missing questions and outcomes. Safe to call at any time, concurrently and repeatedly. */
  async reconcile(open: OpenChannel, session: ApprovalSession): Promise<ShownApprovals> {
    const shown = await this.repository.openQuestions(session.thread_id);
    const pending = await this.pendingOf(session, shown);
    const asked = await this.ask(open, session, pending, shown);
    const told = await this.tellOutcomes(open, shown);
    if (asked.size + told > 0) this.work.notify();
    const statuses = pending.map((approval) => (asked.has(approval) ? ['queued'] : statusesOf(approval, shown)));
    return {
      isAsked: statuses.some((found) => found.some((status) => status !== 'unknown')),
      lookMs: statuses.every(haveArrived) ? null : UNSENT_LOOK_MS,
    };
  }

  /** Those of the message whose turn it is; without one, those that people were already asked about, such as a hook's. */
  private async pendingOf(
    { thread_id, agent_name, head }: ApprovalSession,
    shown: readonly ChannelMessage[],
  ): Promise<ApprovalFacts[]> {
    if (head === null && shown.length > 0) {
      const pending = await this.approvals.pendingOf(thread_id);
      return pending.filter((approval) => shown.some(({ dedup_key }) => isAbout(dedup_key, approval)));
    }
    if (head?.status !== 'started' || head.run_id === null) return [];
    return (await this.approvals.pendingOf(thread_id)).filter((approval) => isOf(head, agent_name, approval));
  }

  /** @returns the approvals asked about now, for the first time or again */
  private async ask(
    open: OpenChannel,
    { head }: ApprovalSession,
    pending: readonly ApprovalFacts[],
    shown: readonly ChannelMessage[],
  ): Promise<Set<ApprovalFacts>> {
    const asked = new Set<ApprovalFacts>();
    for (const approval of pending) {
      for (const { place, key, channel } of await this.asksOf(open, approval, head, shown)) {
        const before = shown.find((one) => one.dedup_key === key && one.channel_id === place.channel_id);
        if (before && before.status !== 'unknown') continue;
        const isLost = before !== undefined && this.questions.isDueAgain(before, approval.openedAtMs);
        const draft = draftOf(approval, channel.adapter, key);
        if (await this.questions.ask(place, draft, isLost ? Number(before.updated_at) : -1)) asked.add(approval);
      }
    }
    return asked;
  }

  /** Where to ask about an approval: where it came up, and where it was asked before, in case that was lost or this is a reminder. */
  private async asksOf(
    open: OpenChannel,
    approval: ApprovalFacts,
    head: ChannelMessage | null,
    shown: readonly ChannelMessage[],
  ): Promise<Ask[]> {
    const before = shown.filter(({ dedup_key }) => isAbout(dedup_key, approval) && !isEscalated(dedup_key, approval));
    const places = new Map<string, QuestionPlace & { chatKey: string }>();
    const add = (place: QuestionPlace, chatKey: string) =>
      places.set(place.channel_id + chatKey, { ...place, chatKey });
    if (head && !before.some((one) => isSameChat(one, head))) add(head, chatKeyOf(head));
    for (const one of before) add(one, chatKeyIn(one.dedup_key, approval));
    const asks: Ask[] = [];
    for (const { chatKey, ...place } of places.values()) {
      const { channel_id: id } = place;
      const channel = id === open.channel.id ? open : await this.accounts.findUsable(id);
      if (!channel?.channel.enabled) continue;
      asks.push({ place, key: questionKey(approval, chatKey), channel });
      const escalation = approval.reminded < 2 ? null : await this.escalationOf(channel, place);
      const isAskedThere = [...places.values()].some(
        (one) => one.channel_id === id && one.chat_id === escalation?.chat_id,
      );
      if (escalation && !isAskedThere) asks.push({ place: escalation, key: escalationKey(approval), channel });
    }
    return asks;
  }

  /** The additional chat to ask if nobody decides; null if none is configured, or no approver has written there. */
  private async escalationOf(open: OpenChannel, place: QuestionPlace): Promise<QuestionPlace | null> {
    const { escalation_chat: chatId } = open.account.config;
    if (typeof chatId !== 'string') return null;
    const approvers = approversOf(open);
    const isKnown = approvers.length > 0 && (await this.repository.haveWritten(place.channel_id, chatId, approvers));
    return isKnown ? { ...place, chat_id: chatId, topic: null } : null;
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

/** A message to send about an approval. */
interface Ask {
  place: QuestionPlace;
  key: string;
  channel: OpenChannel;
}

/** What is known about the latest messages about an approval, one for each chat; empty if there are none. */
function statusesOf(approval: ApprovalFacts, shown: readonly ChannelMessage[]): string[] {
  const about = shown.filter(({ dedup_key }) => isAbout(dedup_key, approval));
  const latest = about.filter(
    ({ dedup_key }) =>
      dedup_key === escalationKey(approval) || dedup_key === questionKey(approval, chatKeyIn(dedup_key, approval)),
  );
  return (latest.length > 0 ? latest : about.slice(-1)).map(({ status }) => status);
}

function haveArrived(statuses: readonly string[]): boolean {
  return statuses.length > 0 && statuses.every((status) => status === 'sent');
}

function isSameChat(one: QuestionPlace, other: QuestionPlace): boolean {
  return one.channel_id === other.channel_id && one.chat_id === other.chat_id && one.topic === other.topic;
}

/** Cuts the question, never the outcome. */
function withOutcome(question: string, outcome: string, limit: number): string {
  const [beginning = ''] = splitText(question, limit - outcome.length - 2);
  return `${beginning}\n\n${outcome}`;
}

/** Whether the approval belongs to this message: it is from its run, a sub-run of it, or another agent in the thread. */
function isOf({ run_id }: ChannelMessage, agentName: string, approval: ApprovalFacts): boolean {
  return approval.traceId === run_id || approval.parentTraceId === run_id || approval.agentId !== agentName;
}
