import type { ChannelAgent } from '../accounts/channel-agent.entity.js';
import type { Channel, RoutingMode } from '../accounts/channel.entity.js';
import type {
  Chat,
  InboundIgnored,
  InboundMembership,
  InboundMessage,
  InboundMove,
  InboundPress,
  InboundUpdate,
} from '../platforms/inbound-update.js';
import { droppedRow, inboundRow, outboundText, type NewMessage, storableId } from './inbound-row.js';
import { DROP_REASONS, type DropReason } from './inbox-delivery.js';
import type { MessagePayload } from '../messages/channel-message.entity.js';
import { tooLargeFor } from '../messages/file-message.js';
import type { OpenQuestion } from '../messages/open-question.js';
import { questionFor } from './answered-question.js';
import type { ChatChange, KnownChats, LostReply, SessionWork } from './inbox.repository.js';
import { sessionThreadOf } from './session-thread.js';
import { digestOf } from '../../../common/digest.js';

/** What the agent gets as the message. */
const ONLY_MENTION = '[mention]';

/** A row to store, with the effects that apply only if the row is new. */
export interface PlannedRow {
  row: NewMessage;
  session?: SessionWork;
  /** Other sessions whose wait this row ends. */
  woken?: readonly SessionWork[];
  chats?: readonly ChatChange[];
  /** A text to send with it. */
  reply?: NewMessage;
  /** The chat's id before it moved. */
  movedFrom?: string;
  /** What a person wrote on an enabled and verified channel, even if it is dropped: it may be part of another message. */
  written?: { message: InboundMessage; chat: ChatChange };
}

const VERIFIED = 'This channel is verified: messages from here reach its agents.';
const BLOCKED = 'the person has blocked the bot';

/** Decides what happens with each update, without reading or writing anything. */
export class InboxPlan {
  readonly rows: PlannedRow[] = [];
  private readonly moved = new Map<string, string>();
  private readonly questions: readonly OpenQuestion[];

  constructor(
    private readonly agents: readonly ChannelAgent[],
    { moved, questions }: Pick<KnownChats, 'moved' | 'questions'>,
    private readonly nowMs: number,
    private readonly maxFileBytes: number,
    private readonly lostReplies: readonly LostReply[] = [],
  ) {
    this.questions = questions;
    for (const { channel_id, chat_id, session_chat_id } of moved) {
      this.moved.set(`${channel_id} ${chat_id}`, session_chat_id);
    }
  }

  /** @param isVerifying whether it is the message with the verification code */
  add(channel: Channel, update: InboundUpdate, dropReason: DropReason | null, isVerifying: boolean): void {
    const planned =
      dropReason === null ? this.plan(channel, update, isVerifying) : this.drop(channel, update, dropReason);
    if (planned !== null) this.rows.push(planned);
  }

  private plan(channel: Channel, update: InboundUpdate, isVerifying: boolean): PlannedRow | null {
    switch (update.kind) {
      case 'message':
        return isVerifying ? this.verified(channel, update) : this.message(channel, update);
      case 'press':
        return this.gate(channel, update) ?? this.worked(channel, update, 'received');
      case 'ignored':
        return this.ignored(channel, update);
      case 'delivery':
        // Only a failure changes what is stored about a sent message.
        return update.state === 'failed' ? { row: inboundRow(channel.id, update, 'done', this.nowMs) } : null;
      case 'moved':
        return this.move(channel, update);
      case 'membership':
        return this.membership(channel, update);
    }
  }

  private message(channel: Channel, update: InboundMessage): PlannedRow {
    const refused = this.gate(channel, update);
    if (refused) return refused;
    const written = { message: update, chat: this.chatChange(channel, update.chat, { isHeard: true }) };
    const routed = this.routed(channel, update);
    return this.answer(channel, update, routed) ?? { ...routed, written };
  }

  /** A text that answers a question goes to the approvals, and is part of no other message; null for any other text. */
  private answer(channel: Channel, update: InboundMessage, routed: PlannedRow): PlannedRow | null {
    if (this.questions.length === 0) return null;
    const row = inboundRow(channel.id, update, 'received', this.nowMs);
    const here = this.questions.filter((one) => one.channel_id === channel.id && one.chat_id === row.chat_id);
    const answered = questionFor(here, update, routed.row.thread_id);
    if (answered === null) return null;
    const { question, isReply } = answered;
    const payload: MessagePayload = { ...(JSON.parse(row.payload ?? '{}') as MessagePayload), answers: question.id };
    if (isReply) payload.is_reply = true;
    // A reply belongs to no session: it may answer another session's question.
    const answer = { ...(isReply ? row : routed.row), kind: 'answer', payload: JSON.stringify(payload) };
    return { row: answer, chats: [this.chatChange(channel, update.chat, { isHeard: true, hasWork: true })] };
  }

  private routed(channel: Channel, update: InboundMessage): PlannedRow {
    if (!update.isAddressed) return this.drop(channel, update, DROP_REASONS.unaddressed);
    const row = inboundRow(channel.id, update, 'received', this.nowMs);
    // Somebody who replies with the mention alone means what they point at.
    if (row.text.trim() === '' && update.replyTo !== undefined) row.text = ONLY_MENTION;
    if (row.text.trim() === '') return this.drop(channel, update, DROP_REASONS.noText);
    const route = routeOf(row.text, channel.routing_mode, this.agentsOf(channel));
    if (route === null) return this.drop(channel, update, DROP_REASONS.noAgent);
    const reply = this.tooLarge(row, update);
    const chat = this.chatChange(channel, update.chat, { isHeard: true, hasWork: reply !== undefined });
    const { agentName } = route;
    const threadId = sessionThreadOf({
      ...{ channelId: channel.id, mode: channel.session_mode, sessionChatId: chat.sessionChatId, topic: row.topic },
      ...{ userId: row.user_id ?? '', messageId: row.external_id ?? row.dedup_key, agentName },
    });
    return {
      row: { ...row, text: route.text, agent_name: agentName, thread_id: threadId },
      session: { threadId, channelId: channel.id, agentName },
      chats: [chat],
      reply,
    };
  }

  /** Tells the sender about a file that the agent cannot fetch; the run starts anyway. */
  private tooLarge(row: NewMessage, { attachments }: InboundMessage): NewMessage | undefined {
    const lines = attachments
      .filter(({ id, sizeBytes }) => id !== null && (sizeBytes ?? 0) > this.maxFileBytes)
      .map(({ name }) => tooLargeFor(name, this.maxFileBytes));
    if (lines.length === 0) return undefined;
    return outboundText(row, `too-large:${digestOf(row.dedup_key)}`, lines.join('\n'));
  }

  /** Tells the sender that the platform does not deliver this kind of message, if an agent could read another kind. */
  private ignored(channel: Channel, update: InboundIgnored): PlannedRow {
    const row = inboundRow(channel.id, update, 'dropped', this.nowMs);
    const isTold = update.isLost === true && channel.enabled && channel.verified && this.agentsOf(channel).length > 0;
    if (!isTold || update.chat === null) return { row };
    const last = this.lostReplies.find((one) => one.channel_id === channel.id && one.chat_id === row.chat_id);
    if (last !== undefined && this.nowMs - Number(last.created_at) < LOST_REPLY_MS) return { row };
    const chats = [this.chatChange(channel, update.chat, { isHeard: true, hasWork: true })];
    return { row, chats, reply: outboundText(row, lostReplyKey(row, last), LOST) };
  }

  private agentsOf(channel: Channel): ChannelAgent[] {
    return this.agents.filter(({ channel_id }) => channel_id === channel.id);
  }

  /** Keeps the code out of the log. */
  private verified(channel: Channel, update: InboundMessage): PlannedRow {
    const { row, chats } = this.worked(channel, { ...update, text: '' }, 'done');
    const reply = outboundText(row, `verified:${row.id}`, VERIFIED);
    return { row: { ...row, reason: 'verification code' }, chats, reply };
  }

  private worked(channel: Channel, update: InboundMessage | InboundPress, status: 'received' | 'done'): PlannedRow {
    const row = inboundRow(channel.id, update, status, this.nowMs);
    return { row, chats: [this.chatChange(channel, update.chat, { isHeard: true, hasWork: true })] };
  }

  private gate(channel: Channel, update: InboundUpdate): PlannedRow | null {
    if (!channel.enabled) return this.drop(channel, update, DROP_REASONS.disabled);
    return channel.verified ? null : this.drop(channel, update, DROP_REASONS.unverified);
  }

  private drop(channel: Channel, update: InboundUpdate, reason: DropReason): PlannedRow {
    return { row: droppedRow(channel.id, update, reason, this.nowMs) };
  }

  private move(channel: Channel, update: InboundMove): PlannedRow {
    const row = inboundRow(channel.id, update, 'done', this.nowMs);
    const old = this.chatChange(channel, update.chat, {});
    const newChatId = storableId(update.newChatId);
    this.moved.set(`${channel.id} ${newChatId}`, old.sessionChatId);
    return { row, chats: [{ ...old, chatId: newChatId, hasWork: true }], movedFrom: old.chatId };
  }

  private membership(channel: Channel, update: InboundMembership): PlannedRow {
    const row = inboundRow(channel.id, update, 'done', this.nowMs);
    return { row, chats: [this.chatChange(channel, update.chat, { closedReason: update.isBlocked ? BLOCKED : null })] };
  }

  private chatChange(channel: Channel, chat: Chat, news: Partial<ChatChange>): ChatChange {
    const chatId = storableId(chat.chatId);
    const sessionChatId = this.moved.get(`${channel.id} ${chatId}`) ?? chatId;
    const quiet = { isHeard: false, hasWork: false, closedReason: null };
    return { ...quiet, ...news, channelId: channel.id, chatId, sessionChatId };
  }
}

/** The agent that gets a message, and the text that it gets. */
export interface Route {
  agentName: string;
  text: string;
}

/**
 * In mode `command`, `/name text` goes to the agent with that command, without the command word; everything else goes unchanged to the
 * default agent. Null if there is none.
 */
export function routeOf(text: string, mode: RoutingMode, agents: readonly ChannelAgent[]): Route | null {
  const command = mode === 'command' ? /^(\/\S+)(?:\s+([\s\S]*))?$/.exec(text) : null;
  const named = command && agents.find((agent) => agent.command === command[1]!.toLowerCase());
  // A command without text sends the command word itself: no run starts without a message.
  if (named) return { agentName: named.agent_name, text: command[2]?.trim() || command[1]! };
  const fallback = agents.find(({ is_default }) => is_default);
  return fallback ? { agentName: fallback.agent_name, text } : null;
}

/** The notice for a message that the platform does not deliver. */
export const LOST =
  'This kind of message does not reach the agent. Please send text, a picture, a voice message or a file.';

/** The pause between two such notices in a chat: two bots that do not understand each other would otherwise go on for ever. */
const LOST_REPLY_MS = 24 * 3600_000;

/** The same key on two servers that respond at once. @param last the notice before it */
function lostReplyKey({ chat_id }: NewMessage, last: LostReply | undefined): string {
  return `lost:${last?.id ?? ''}:${digestOf(chat_id ?? '')}`;
}
