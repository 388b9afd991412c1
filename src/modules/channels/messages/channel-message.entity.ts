import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { Attachment, ChosenButton, ForwardedMessage, RepliedMessage } from '../platforms/inbound-update.js';
import type { MessageContext } from './message-context.js';

export const INBOUND_STATUSES = ['received', 'joined', 'started', 'done', 'dropped', 'failed'] as const;

/**
 * `received` waits for its turn or for its agent; `joined` is a part of another message; `started` has a run; `done` is finished; `dropped` starts nothing, with the reason;
 * `failed` was given up, with the reason.
 */
export type InboundStatus = (typeof INBOUND_STATUSES)[number];

export const OUTBOUND_STATUSES = ['queued', 'sending', 'sent', 'failed', 'unknown'] as const;

/** `sending` is written before the call: what a crash leaves in it becomes `unknown`, as nobody knows whether it was sent. */
export type OutboundStatus = (typeof OUTBOUND_STATUSES)[number];

/** Why a message was dropped that anybody can have sent: who wrote it is not known. */
export const UNPROVEN_MESSAGE = 'unproven: the webhook was never set up, so nothing shows that the platform sent it';

/** A message that came in or goes out: the log, and the queue of inbox and outbox. */
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

  /** In: the platform's key; out: what the message is for, so that it is queued once. */
  @Column('text')
  dedup_key: string;

  /** The platform's id of the message; null before it is sent. */
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

  /** JSON of what else its kind needs: attachments, buttons, the message to edit, the file. */
  @Column('text', { nullable: true })
  payload: string | null;

  @Column('text')
  status: InboundStatus | OutboundStatus;

  @Column('text', { nullable: true })
  reason: string | null;

  @Column('text', { nullable: true })
  agent_name: string | null;

  /** In: the session, as its thread; out: the thread that it tells of. */
  @Column('text', { nullable: true })
  thread_id: string | null;

  @Column('text', { nullable: true })
  run_id: string | null;

  /** In: when its turn came; null before. */
  @Column('bigint', { nullable: true })
  turn_at: number | null;

  /** In: the thread's last change and its next free place for a message when its turn came: what is behind them came of this message. */
  @Column('integer', { nullable: true })
  since_seq: number | null;

  @Column('integer', { nullable: true })
  since_message: number | null;

  /** In: when its agent was asked to take its run up again; null once the agent's answer is known. */
  @Column('bigint', { nullable: true })
  retry_asked_at: number | null;

  /** In, of status `joined`: the id of the message that it is a part of. */
  @Column('text', { nullable: true })
  part_of: string | null;

  /** In: what its parts have in common (`PartSigns`); null for a message that has none. Out: see `answerKeyOf`. */
  @Column('text', { nullable: true })
  group_key: string | null;

  /** In: when it stops waiting for its next part; null where it waits for none. */
  @Column('bigint', { nullable: true })
  due_at: number | null;

  @Column('integer')
  attempts: number;

  /** In: the person was told that the agent is away. */
  @Column('boolean')
  is_told: boolean;

  @Column('bigint')
  created_at: number;

  @Column('bigint')
  updated_at: number;
}

/** The same each time that an agent is asked for one retry, whichever server asks: each retry is a turn of its own. */
export function retryKeyOf({ id, turn_at }: Pick<ChannelMessage, 'id' | 'turn_at'>): string {
  return `${id}:${turn_at}`;
}

/** What a message that waits for its next part has of them. */
export interface GatheredParts {
  count: number;
  /** UTF-16 units of their texts. */
  length: number;
  /** When the last one was written, by the platform; null if it did not say. */
  last_at: number | null;
}

/** `payload` of an inbound row of kind `message` or `answer`, as JSON. Its `external_id` is the platform's id of the message. */
export interface MessagePayload {
  is_private: boolean;
  attachments: readonly Attachment[];
  /** Milliseconds since 1970 by the platform; null if it did not say. */
  occurred_at: number | null;
  reply_to?: RepliedMessage;
  forwarded?: readonly ForwardedMessage[];
  button?: ChosenButton;
  /** Nobody wrote its text, which only says what came. */
  is_wordless?: true;
  /** The next part goes on within the line. */
  is_cut?: true;
  /** Of a message in parts: what it has so far. */
  gathered?: GatheredParts;
  /** The platform's ids of all its parts, once they are joined. */
  message_ids?: readonly string[];
  /** Our id of the message with the beginning of the album, which had had its turn when this came. */
  late_for?: string;
  /** What the agent is told; stored when the turn of the message comes, so that every try sends the same. */
  context?: MessageContext;
  /** The platform's ids of files that it has no more: it is not asked again. */
  gone_files?: readonly string[];
  /** Of kind `answer`: our id of the question. */
  answers?: string;
  /** Of kind `answer`: it is a reply to the question; otherwise it is a message like others where it answers nothing. */
  is_reply?: true;
  /** The platform may still know what is answered; before the first call it is asked. */
  is_reply_unknown?: true;
}

/**
 * `payload` of an inbound row of kind `press`, as JSON. Its `external_id` is the platform's id of the message that holds the button; null
 * if it is not known.
 */
export interface PressPayload {
  is_private: boolean;
  /** For `answerPress`. */
  press_id: string;
  /** The button's payload; untrusted. */
  data: string;
}
