import type { ChannelMessage, GatheredParts, MessagePayload } from '../messages/channel-message.entity.js';
import type { InboundMessage } from '../platforms/inbound-update.js';
import { inboundRow, type NewMessage } from './inbound-row.js';
import { DROP_REASONS } from './inbox-delivery.js';
import type { PlannedRow } from './inbox-plan.js';
import type { ChatChange, GatheringChange, SessionWork } from './inbox.repository.js';

/** Limits of one message. */
const MAX_PARTS = 20;
const MAX_LENGTH = 64_000;
/** The longest gap between two parts, by the platform's time, if the platform does not say that they belong together. */
const MAX_GAP_MS = 3_000;
/** The most waits for a further part, in all. */
const MAX_WAITS = 5;

/** A message that has parts, or may get some. */
interface Head {
  row: NewMessage;
  payload: MessagePayload;
  gathered: GatheredParts;
  isNew: boolean;
}

/**
 * Decides which messages are parts of others. The first part is the message itself; later parts are added until its turn comes. Reads and
 * writes nothing.
 */
export class PartsPlan {
  /** Waiting messages by sender and chat. */
  private readonly waiting = new Map<string, Head>();
  /** Messages that began an album, in order, by sender, chat and key. */
  private readonly albums = new Map<string, Head[]>();
  private readonly changed = new Set<Head>();

  /** @param stored messages that wait for their next part, or began an album of this delivery; none of them gets its turn meanwhile */
  constructor(
    stored: readonly ChannelMessage[],
    private readonly gatherMs: number,
    private readonly nowMs: number,
  ) {
    for (const row of stored) this.note(headOf(row, false));
  }

  /** Changes to messages that are stored. */
  get changes(): GatheringChange[] {
    return [...this.changed]
      .filter(({ isNew }) => !isNew)
      .sort((a, b) => (a.row.id < b.row.id ? -1 : 1))
      .map(({ row }) => ({ id: row.id, payload: row.payload ?? '', dueAtMs: row.due_at }));
  }

  /** Call it only for the first of two messages with one key. */
  place(planned: PlannedRow): PlannedRow {
    const { written } = planned;
    if (written === undefined) return planned;
    const { message } = written;
    const before = this.waiting.get(placeOf(planned.row));
    const head = this.headFor(planned, message, before);
    if (head !== null) return this.join(planned, message, head);
    const woken = before === undefined ? [] : this.close(before);
    const rest = { ...this.withAlbum(planned, message, written.chat), woken };
    if (rest.row.status !== 'received' || message.part === undefined) return rest;
    return { ...rest, row: this.begin(rest.row, message) };
  }

  /** In groups a late part of an album does not call the bot, but belongs to the message that did. */
  private withAlbum(planned: PlannedRow, message: InboundMessage, chat: ChatChange): PlannedRow {
    const key = message.part?.key ?? null;
    if (planned.row.reason !== DROP_REASONS.unaddressed || !isAlbum(key)) return planned;
    const first = this.albumOf(planned.row, key)[0];
    const session = first === undefined || !hadTurn(first) ? null : sessionOf(first);
    if (session === null) return planned;
    const row = inboundRow(planned.row.channel_id, message, 'received', this.nowMs);
    return { row: { ...row, agent_name: session.agentName, thread_id: session.threadId }, session, chats: [chat] };
  }

  /** The message that this is a part of; null if there is none. */
  private headFor(planned: PlannedRow, message: InboundMessage, waiting: Head | undefined): Head | null {
    const key = message.part?.key ?? null;
    const head = isAlbum(key) ? this.albumOf(planned.row, key).at(-1) : waiting;
    if (head === undefined || !continues(head, planned, message)) return null;
    const { count, length } = head.gathered;
    const hasRoom = count < MAX_PARTS && length + message.text.length <= MAX_LENGTH;
    return hasRoom && !hadTurn(head) && head.row.status === 'received' ? head : null;
  }

  private join(planned: PlannedRow, message: InboundMessage, head: Head): PlannedRow {
    const { id, agent_name, thread_id } = head.row;
    const { chat } = planned.written!;
    const row = inboundRow(planned.row.channel_id, message, 'joined', this.nowMs);
    const { count, length, last_at } = head.gathered;
    head.gathered = {
      count: count + 1,
      length: length + message.text.length,
      last_at: latest(last_at, message.occurredAtMs),
    };
    const other = this.waiting.get(placeOf(row));
    const woken = other !== undefined && other !== head ? this.close(other) : [];
    // A text without signs of more parts is the last part.
    if (message.part === undefined) woken.push(...this.close(head));
    else if (head.row.due_at !== null) this.setDue(head, this.dueAfter(head));
    else this.setDue(head, null);
    const part = { ...row, part_of: id, agent_name, thread_id };
    return { row: part, chats: [{ ...chat, hasWork: planned.reply !== undefined }], reply: planned.reply, woken };
  }

  private begin(row: NewMessage, message: InboundMessage): NewMessage {
    const { key } = message.part!;
    const first = isAlbum(key) ? this.albumOf(row, key)[0] : undefined;
    const payload = JSON.parse(row.payload ?? '{}') as MessagePayload;
    if (first !== undefined && hadTurn(first)) payload.late_for = first.row.id;
    const head = headOf({ ...row, group_key: key, due_at: this.nowMs + this.gatherMs }, true, payload);
    head.gathered = { count: 1, length: message.text.length, last_at: message.occurredAtMs };
    this.note(head);
    this.setDue(head, head.row.due_at);
    return head.row;
  }

  /** Ends the wait. @returns the session to wake */
  private close(head: Head): SessionWork[] {
    this.setDue(head, null);
    this.waiting.delete(placeOf(head.row));
    const session = sessionOf(head);
    return session === null ? [] : [session];
  }

  /** Never earlier than before: a newly started server waits longer. */
  private dueAfter({ row }: Head): number {
    const longestMs = Number(row.created_at) + MAX_WAITS * this.gatherMs;
    return Math.max(Number(row.due_at), Math.min(this.nowMs + this.gatherMs, longestMs));
  }

  private setDue(head: Head, dueAtMs: number | null): void {
    head.row.due_at = dueAtMs;
    head.row.payload = JSON.stringify({ ...head.payload, gathered: head.gathered });
    this.changed.add(head);
  }

  private note(head: Head): void {
    const { row } = head;
    if (isAlbum(row.group_key)) this.albumOf(row, row.group_key).push(head);
    if (row.due_at !== null) this.waiting.set(placeOf(row), head);
  }

  private albumOf(row: NewMessage, key: string): Head[] {
    const place = `${placeOf(row)} ${key}`;
    const heads = this.albums.get(place) ?? [];
    this.albums.set(place, heads);
    return heads;
  }
}

/** The key of a sender in a chat. */
export function placeOf({
  channel_id,
  chat_id,
  topic,
  user_id,
}: Pick<NewMessage, 'channel_id' | 'chat_id' | 'topic' | 'user_id'>): string {
  return JSON.stringify([channel_id, chat_id, topic, user_id]);
}

export function isAlbum(key: string | null): key is string {
  return key !== null && key.startsWith('album:');
}

function headOf(row: NewMessage, isNew: boolean, known?: MessagePayload): Head {
  const payload = known ?? (JSON.parse(row.payload ?? '{}') as MessagePayload);
  const gathered = payload.gathered ?? { count: 1, length: row.text.length, last_at: payload.occurred_at };
  return { row: { ...row }, payload, gathered, isNew };
}

function sessionOf({ row: { thread_id, channel_id, agent_name } }: Head): SessionWork | null {
  if (thread_id === null || agent_name === null) return null;
  return { threadId: thread_id, channelId: channel_id, agentName: agent_name };
}

/** What its agent is told no longer changes, even if it waits for another turn because its thread was deleted. */
function hadTurn({ row, payload }: Head): boolean {
  return row.turn_at !== null || payload.context !== undefined;
}

function latest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

/** In groups only the first part of an album or a long text calls the bot. */
function continues({ row, gathered }: Head, { row: { status } }: PlannedRow, message: InboundMessage): boolean {
  const key = row.group_key;
  if (isAlbum(key)) return key === message.part?.key;
  if (gathered.last_at === null || message.occurredAtMs === null) return false;
  if (message.occurredAtMs - gathered.last_at > MAX_GAP_MS) return false;
  return key === 'text' ? isPlainText(message) : key === message.part?.key && status === 'received';
}

function isPlainText({ text, attachments, replyTo, forwarded, button }: InboundMessage): boolean {
  return text !== '' && !text.startsWith('/') && attachments.length === 0 && !replyTo && !forwarded && !button;
}
