import { isoTime } from '../../../common/clock.js';
import { cutText } from '../../../common/cut-text.js';
import { oneLine, safeFileName } from '../../../common/file-name.js';
import type {
  Attachment,
  Author,
  ChosenButton,
  ForwardedMessage,
  RepliedMessage,
} from '../platforms/inbound-update.js';
import type { ChannelMessage, MessagePayload } from './channel-message.entity.js';

/** Bytes of the context, as JSON. */
const MAX_BYTES = 256 * 1024;
const MAX_TEXT = 4_000;
/** Not more than media types have; see RFC 6838. */
const MEDIA_TYPE = /^[\w.+-]{1,127}\/[\w.+-]{1,127}(?:\s*;[\x20-\x7e]{1,100})?$/;

export interface ContextAttachment {
  kind: string;
  id: string | null;
  /** Of a file: safe to save under. */
  name: string | null;
  media_type: string | null;
  size_bytes: number | null;
  description: string | null;
  /** The same as `media_type` and `size_bytes`: agents of earlier versions read them. */
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
  /** What wrote it, if it is ours; `step` is that of a question about tool calls. */
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

/** What `context` says of a message besides where it came from. */
export interface MessageContext {
  attachments: ContextAttachment[];
  message_ids: string[];
  sent_at: string | null;
  reply_to: ContextReply | null;
  forwarded: ContextForward[];
  button: ChosenButton | null;
}

/** @param quoted the row of the message that is answered; null where the log has none */
export function contextOf(
  { external_id }: Pick<ChannelMessage, 'external_id'>,
  payload: MessagePayload,
  quoted: ChannelMessage | null,
): MessageContext {
  const { attachments, occurred_at, reply_to, forwarded = [], button = null } = payload;
  return fitted({
    attachments: attachments.map(attachmentOf),
    message_ids: external_id === null ? [] : [external_id],
    sent_at: timeOf(occurred_at),
    reply_to: reply_to ? replyOf(reply_to, quoted) : null,
    forwarded: forwarded.map(forwardOf),
    button: button && { ...button, description: button.description && cutText(button.description, MAX_TEXT) },
  });
}

/** The context with what the platform says of the message that is answered; as it was where it says nothing. */
export function withReply(context: MessageContext, found: RepliedMessage | null): MessageContext {
  const before = context.reply_to;
  if (before === null || found === null) return context;
  const { author, is_own, text, attachments } = replyOf(found, null);
  return fitted({
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

/** Platforms often tell only the id of who is answered. */
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
    // What was not addressed to the bot is in the log without its text.
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
    mediaType: media_type,
    sizeBytes: size_bytes,
  };
}

/** What is quoted goes first, from its end; then attachments. */
function fitted(context: MessageContext): MessageContext {
  const { attachments, forwarded, reply_to, button } = context;
  if (Buffer.byteLength(JSON.stringify(context)) <= MAX_BYTES) return context;
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
