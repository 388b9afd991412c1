import { isoTime } from '../../../common/clock.js';
import { cutText } from '../../../common/cut-text.js';
import { megabytes, oneLine, safeFileName } from '../../../common/file-name.js';
import type {
  Attachment,
  Author,
  ChosenButton,
  ForwardedMessage,
  RepliedMessage,
} from '../platforms/inbound-update.js';
import type { ChannelMessage, MessagePayload } from './channel-message.entity.js';

/** The limit of the context as JSON, in bytes. */
const MAX_BYTES = 256 * 1024;
/** The part of it reserved for each file's address. */
const ADDRESS_BYTES = 700;
const MAX_TEXT = 4_000;
/** Media types are no longer; see RFC 6838. */
const MEDIA_TYPE = /^[\w.+-]{1,127}\/[\w.+-]{1,127}(?:\s*;[\x20-\x7e]{1,100})?$/;

export interface ContextAttachment {
  kind: string;
  id: string | null;
  /** A file name that is safe to save under. */
  name: string | null;
  media_type: string | null;
  size_bytes: number | null;
  description: string | null;
  /** Where the server serves its bytes; null if it has none. */
  href: string | null;
  /** Why there is no `href`. */
  unavailable: string | null;
  /** Copies of `media_type` and `size_bytes`, for agents written for earlier versions. */
  mediaType: string | null;
  sizeBytes: number | null;
}

interface ContextReply {
  message_id: string | null;
  author: Author | null;
  is_own: boolean | null;
  text: string | null;
  quote: string | null;
  attachments: ContextAttachment[];
  /** The run that wrote it, if it is ours; `step` is set for a question about tool calls. */
  run: { thread_id: string; run_id: string; step: number | null } | null;
}

interface ContextForward {
  author: Author | null;
  chat: Author | null;
  text: string;
  sent_at: string | null;
  url: string | null;
  attachments: ContextAttachment[];
}

/** What `context` says about a message besides its origin. */
export interface MessageContext {
  attachments: ContextAttachment[];
  message_ids: string[];
  sent_at: string | null;
  reply_to: ContextReply | null;
  forwarded: ContextForward[];
  button: ChosenButton | null;
  /** The message for which this part of an album came too late; `attachments` are those of the whole album. */
  late_for: { message_id: string | null; run_id: string | null } | null;
}

/** What the log knows about related messages. */
export interface LoggedContext {
  /** The message that is replied to. */
  quoted: ChannelMessage | null;
  /** The earlier messages of its album that had their turn, in order. */
  album: readonly ChannelMessage[];
}

export function contextOf(
  message: Pick<ChannelMessage, 'id' | 'thread_id' | 'external_id'>,
  payload: MessagePayload,
  { quoted, album }: LoggedContext,
  maxFileBytes: number,
): MessageContext {
  const { external_id } = message;
  const { attachments, occurred_at, reply_to, forwarded = [], button = null } = payload;
  return addressed(message, maxFileBytes, {
    attachments: [...album.flatMap((one) => payloadOf(one).attachments ?? []), ...attachments].map(attachmentOf),
    message_ids: [...(payload.message_ids ?? (external_id === null ? [] : [external_id]))],
    sent_at: timeOf(occurred_at),
    reply_to: reply_to ? replyOf(reply_to, quoted) : null,
    forwarded: forwarded.map(forwardOf),
    button: button && { ...button, description: button.description && cutText(button.description, MAX_TEXT) },
    late_for: payload.late_for === undefined ? null : lateFor(album[0]),
  });
}

function lateFor(first: ChannelMessage | undefined): MessageContext['late_for'] {
  return { message_id: first?.external_id ?? null, run_id: first?.run_id ?? null };
}

function payloadOf({ payload }: ChannelMessage): Partial<MessagePayload> {
  return JSON.parse(payload ?? '{}') as Partial<MessagePayload>;
}

/** The context, completed with what the platform says about the message replied to, if it says anything. */
export function withReply(
  message: Pick<ChannelMessage, 'id' | 'thread_id'>,
  context: MessageContext,
  found: RepliedMessage | null,
  maxFileBytes: number,
): MessageContext {
  const before = context.reply_to;
  if (before === null || found === null) return context;
  const { author, is_own, text, attachments } = replyOf(found, null);
  return addressed(message, maxFileBytes, {
    ...context,
    reply_to: { ...before, author: author ?? before.author, is_own: is_own ?? before.is_own, text, attachments },
  });
}

function replyOf(reply: RepliedMessage, quoted: ChannelMessage | null): ContextReply {
  const logged = quoted && loggedOf(quoted);
  const { messageId, isOwn, text, quote, attachments } = reply;
  const whole = text ?? logged?.text ?? null;
  return {
    message_id: messageId,
    author: authorOf(reply.author, logged?.author ?? null),
    is_own: logged ? logged.isOwn : isOwn,
    text: whole === null ? null : cutText(whole, MAX_TEXT),
    quote: quote === null ? null : cutText(quote, MAX_TEXT),
    attachments: (attachments.length > 0 ? attachments : (logged?.attachments ?? [])).map(attachmentOf),
    run: logged?.run ?? null,
  };
}

/** Platforms often give only the author's id. */
function authorOf(author: Author | null, logged: Author | null): Author | null {
  if (author === null) return logged;
  return { id: author.id, name: author.name ?? (logged?.id === author.id ? logged.name : null) };
}

interface LoggedMessage {
  author: Author | null;
  isOwn: boolean;
  text: string | null;
  attachments: readonly Attachment[];
  run: ContextReply['run'];
}

function loggedOf({ direction, user_id, user_name, text, payload, thread_id, run_id }: ChannelMessage): LoggedMessage {
  const content = JSON.parse(payload ?? '{}') as Partial<MessagePayload> & { approval?: { step?: number } };
  const isOwn = direction === 'out';
  const run = isOwn && thread_id !== null && run_id !== null;
  return {
    author: user_id === null ? null : { id: user_id, name: user_name },
    isOwn,
    // The log keeps no text of messages that did not address the bot.
    text: text === '' ? null : text,
    attachments: content.attachments ?? [],
    run: run ? { thread_id, run_id, step: content.approval?.step ?? null } : null,
  };
}

function forwardOf({ author, chat, text, sentAtMs, url, attachments }: ForwardedMessage): ContextForward {
  const quoted = { author, chat, text: cutText(text, MAX_TEXT), sent_at: timeOf(sentAtMs), url };
  return { ...quoted, attachments: attachments.map(attachmentOf) };
}

function attachmentOf({ kind, id, name, mediaType, sizeBytes, description }: Attachment): ContextAttachment {
  const media_type = mediaType !== null && MEDIA_TYPE.test(mediaType) ? mediaType : null;
  const size_bytes = sizeBytes !== null && Number.isSafeInteger(sizeBytes) && sizeBytes >= 0 ? sizeBytes : null;
  return {
    kind,
    id,
    name: name === null ? null : id === null ? cutText(oneLine(name), MAX_TEXT) || null : safeFileName(name),
    media_type,
    size_bytes,
    description: description === null ? null : cutText(description, MAX_TEXT),
    href: null,
    unavailable: null,
    mediaType: media_type,
    sizeBytes: size_bytes,
  };
}

/** All attachments, numbered as in their addresses. */
export function attachmentsOf({ attachments, reply_to, forwarded }: MessageContext): ContextAttachment[] {
  return [...attachments, ...(reply_to?.attachments ?? []), ...forwarded.flatMap((one) => one.attachments)];
}

/** The context in its final size, with the addresses of its files. */
function addressed(
  { id, thread_id }: Pick<ChannelMessage, 'id' | 'thread_id'>,
  maxFileBytes: number,
  whole: MessageContext,
): MessageContext {
  const context = fitted(whole);
  const folder = `/v1/runners/threads/${encodeURIComponent(thread_id ?? '')}/attachments`;
  for (const [at, attachment] of attachmentsOf(context).entries()) {
    attachment.unavailable = faultOf(attachment, maxFileBytes);
    attachment.href = attachment.unavailable === null ? `${folder}/${id}.${at}` : null;
  }
  return context;
}

function faultOf({ id, size_bytes }: ContextAttachment, maxFileBytes: number): string | null {
  if (id === null) return 'it is no file';
  return (size_bytes ?? 0) > maxFileBytes ? `larger than ${megabytes(maxFileBytes)}` : null;
}

/** Cuts forwarded messages first, from their end; then the reply's attachments, the message's own, the form, and last the reply. */
function fitted(context: MessageContext): MessageContext {
  const { attachments, forwarded, reply_to, button } = context;
  const addressBytes = ADDRESS_BYTES * attachmentsOf(context).length;
  if (Buffer.byteLength(JSON.stringify(context)) + addressBytes <= MAX_BYTES) return context;
  if (forwarded.length > 0) return fitted({ ...context, forwarded: halfOf(forwarded) });
  if (reply_to !== null && reply_to.attachments.length > 0) {
    return fitted({ ...context, reply_to: { ...reply_to, attachments: halfOf(reply_to.attachments) } });
  }
  if (attachments.length > 0) return fitted({ ...context, attachments: halfOf(attachments) });
  if (button?.form) return fitted({ ...context, button: { ...button, form: null } });
  return { ...context, reply_to: null };
}

function halfOf<Item>(items: readonly Item[]): Item[] {
  return items.slice(0, Math.floor(items.length / 2));
}

function timeOf(ms: number | null): string | null {
  const date = new Date(ms ?? NaN);
  return Number.isNaN(date.getTime()) ? null : isoTime(date.getTime());
}
