import { oneLine } from '../../../common/file-name.js';
import type { ChannelMessage, MessagePayload } from './channel-message.entity.js';
import { wordsOf } from './message-words.js';

/** A row of the message log with its content. */
export interface MessagePart {
  row: Pick<ChannelMessage, 'seq' | 'text' | 'external_id' | 'group_key'>;
  payload: MessagePayload;
}

/** The joined content of a message's parts. */
export interface JoinedParts {
  text: string;
  payload: MessagePayload;
}

/** Joins the parts in the order in which they were written. The first is the message itself. */
export function joinParts(first: MessagePart, others: readonly MessagePart[]): JoinedParts {
  const parts = [first, ...others].sort(inOrder);
  const payloads = parts.map(({ payload }) => payload);
  const attachments = payloads.flatMap((payload) => payload.attachments);
  const forwarded = payloads.flatMap((payload) => payload.forwarded ?? []);
  const payload = {
    ...first.payload,
    attachments,
    occurred_at: payloads[0]!.occurred_at,
    message_ids: parts.flatMap(({ row }) => row.external_id ?? []),
    ...(forwarded.length > 0 ? { forwarded } : {}),
    reply_to: payloads.find(({ reply_to }) => reply_to)?.reply_to,
  };
  if (first.row.group_key === 'text') return { text: continuous(parts), payload };
  const texts = first.row.group_key === 'forward' ? parts.map(withName) : parts.flatMap(captionOf);
  return { text: texts.join('\n') || wordsOf({ text: '', attachments, forwarded }), payload };
}

/** By the platform's time, which may be in whole seconds; within a second by message id, where ids are numbers. */
function inOrder(a: MessagePart, b: MessagePart): number {
  const times = (a.payload.occurred_at ?? 0) - (b.payload.occurred_at ?? 0);
  return times || numberOf(a) - numberOf(b) || a.row.seq - b.row.seq;
}

function numberOf({ row }: MessagePart): number {
  return /^\d{1,15}$/.test(row.external_id ?? '') ? Number(row.external_id) : 0;
}

function continuous(parts: readonly MessagePart[]): string {
  return parts
    .map(({ row, payload }, at) => (at === parts.length - 1 || payload.is_cut ? row.text : `${row.text}\n`))
    .join('');
}

function captionOf({ row, payload }: MessagePart): string[] {
  return payload.is_wordless ? [] : [row.text];
}

function withName({ row, payload }: MessagePart): string {
  const { author, chat } = payload.forwarded?.[0] ?? { author: null, chat: null };
  const name = author?.name ?? author?.id ?? chat?.name ?? null;
  return name === null ? row.text : `${oneLine(name)}: ${row.text}`;
}
