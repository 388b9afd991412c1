import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { Attachment, ChosenButton, ForwardedMessage, RepliedMessage } from '../platforms/inbound-update.js';
import type { MessageContext } from './message-context.js';

export const INBOUND_STATUSES = ['received', 'joined', 'started', 'done', 'dropped', 'failed'] as const;

/**
 * `received` waits for its turn or its agent; `joined` is part of another message; `started` has a run; `done` is finished; `dropped`
 * starts nothing; `failed` was given up. `reason` explains the last two.
 */
export type InboundStatus = (typeof INBOUND_STATUSES)[number];

export const OUTBOUND_STATUSES = ['queued', 'sending', 'sent', 'failed', 'unknown'] as const;

/** `sending` is stored before the call; after a crash it becomes `unknown`: the message may have been sent. */
export type OutboundStatus = (typeof OUTBOUND_STATUSES)[number];

/** Why a message that anybody could have sent was dropped: its author is not known. */
export const UNPROVEN_MESSAGE = 'unproven: the webhook was never set up, so nothing shows that the platform sent it';

/** An inbound or outbound message: the log, and the queue of inbox and outbox. */
@Entity('channel_message')
@Index('channel_message_by_key', ['channel_id', 'direction', 'dedup_key'], { unique: true })
@Index('channel_message_by_id', ['id'], { unique: true })
@Index('channel_message_by_channel', ['channel_id', 'seq'])
@Index('channel_message_by_thread', ['thread_id', 'status', 'seq'])
@Index('channel_message_by_chat', ['channel_id', 'chat_id', 'direction', 'status', 'seq'])
@Index('channel_message_by_external_id', ['channel_id', 'external_id'])
@Index('channel_message_part', ['part_of', 'seq'], { where: 'part_of IS NOT NULL' })
@Index('channel_message_gathering', ['channel_id', 'chat_id'], { where: 'due_at IS NOT NULL' })
@Index('channel_message_by_group', ['channel_id', 'group_key'], { where: 'group_key IS NOT NULL' })
export class ChannelMessage {
  /** The order of arrival, and of sending. */
  @PrimaryGeneratedColumn('increment', { type: 'integer' })
  seq: number;

  @Column('text')
  id: string;

  @Column('text')
  channel_id: string;

  @Column('text')
  direction: 'in' | 'out';

  /** In: `message`, `answer` (a text that may answer a question), `press`, `delivery`, ...; out: `text`, `question`, `edit`, `file`. */
  @Column('text')
  kind: string;

  /** In: the platform's key; out: the message's purpose, so that it is queued once. */
  @Column('text')
  dedup_key: string;

  /** The platform's message id; null before it is sent. */
  @Column('text', { nullable: true })
  external_id: string | null;

  @Column('text', { nullable: true })
  chat_id: string | null;

  @Column('text', { nullable: true })
  topic: string | null;

  @Column('text', { nullable: true })
  user_id: string | null;

  @Column('text', { nullable: true })
  user_name: string | null;

  @Column('text')
  text: string;

  /** JSON with the details of its kind: attachments, buttons, the message to edit, the file. */
  @Column('text', { nullable: true })
  payload: string | null;

  @Column('text')
  status: InboundStatus | OutboundStatus;

  @Column('text', { nullable: true })
  reason: string | null;

  @Column('text', { nullable: true })
  agent_name: string | null;

  /** In: the thread of its session; out: the thread that it is about. */
  @Column('text', { nullable: true })
  thread_id: string | null;

  @Column('text', { nullable: true })
  run_id: string | null;

  /** In: when its turn began; null before. */
  @Column('bigint', { nullable: true })
  turn_at: number | null;

  /** In: the thread's last change and next message position when its turn began: everything after them results from this message. */
  @Column('integer', { nullable: true })
  since_seq: number | null;

  @Column('integer', { nullable: true })
  since_message: number | null;

  /** In: when its agent was asked to retry its run; null once the agent's response is known. */
  @Column('bigint', { nullable: true })
  retry_asked_at: number | null;

  /** In, status `joined`: the id of the message that it is a part of. */
  @Column('text', { nullable: true })
  part_of: string | null;

  /** In: what its parts have in common (`PartSigns`); null if it has none. Out: see `answerKeyOf`. */
  @Column('text', { nullable: true })
  group_key: string | null;

  /** In: when it stops waiting for its next part; null if it does not wait. */
  @Column('bigint', { nullable: true })
  due_at: number | null;

  @Column('integer')
  attempts: number;

  /** In: whether the person was told that the agent is away. */
  @Column('boolean')
  is_told: boolean;

  @Column('bigint')
  created_at: number;

  @Column('bigint')
  updated_at: number;
}

/** The same for every request for one retry, on any server; each retry has its own turn. */
export function retryKeyOf({ id, turn_at }: Pick<ChannelMessage, 'id' | 'turn_at'>): string {
  return `${id}:${turn_at}`;
}

/** What a message that waits for its next part knows about its parts. */
export interface GatheredParts {
  count: number;
  /** The total length of their texts, in UTF-16 units. */
  length: number;
  /** When the last part was written, by the platform; null if it did not say. */
  last_at: number | null;
}

/** `payload` of an inbound row of kind `message` or `answer`, as JSON. Its `external_id` is the platform's id of the message. */
export interface MessagePayload {
  is_private: boolean;
  attachments: readonly Attachment[];
  /** Milliseconds since 1970, by the platform; null if it did not say. */
  occurred_at: number | null;
  reply_to?: RepliedMessage;
  forwarded?: readonly ForwardedMessage[];
  button?: ChosenButton;
  /** Its text only describes what came; nobody wrote it. */
  is_wordless?: true;
  /** The next part continues within the line. */
  is_cut?: true;
  /** For a message in parts: what it has so far. */
  gathered?: GatheredParts;
  /** The platform's ids of all its parts, once joined. */
  message_ids?: readonly string[];
  /** Our id of the album's first message, whose turn had begun when this came. */
  late_for?: string;
  /** What the agent is told; stored when the message's turn begins, so that every try sends the same. */
  context?: MessageContext;
  /** The platform's ids of files that it no longer has and is not asked for again. */
  gone_files?: readonly string[];
  /** Kind `answer`: our id of the question. */
  answers?: string;
  /** Kind `answer`: it replies to the question; otherwise it is an ordinary message if it answers nothing. */
  is_reply?: true;
  /** The platform may know the message replied to; it is asked before the first run. */
  is_reply_unknown?: true;
}

/**
 * `payload` of an inbound row of kind `press`, as JSON. Its `external_id` is the platform's id of the message with the button; null if
 * unknown.
 */
export interface PressPayload {
  is_private: boolean;
  press_id: string;
  /** The button's payload; untrusted. */
  data: string;
}
