import { readMessages, type Message } from '../../../lib/messages.js';
import type { LoadedMessages } from '../data/message-store.js';
import type { History } from '../data/steps.js';
import { messageMeta, type MessageMeta } from './message-meta.js';

/** A message of the transcript; a tool result is shown with its call and has no row. */
export interface TranscriptRow {
  key: string;
  /** The message's index in the history. */
  index: number;
  /** Null while it is not loaded. */
  message: Message | null;
  meta: MessageMeta;
  /** The previous step lacked it, or its result. */
  isNew: boolean;
}

export interface TranscriptRows {
  rows: readonly TranscriptRow[];
  /** For each message of the history. */
  metas: readonly MessageMeta[];
  loaded: number;
}

export function transcriptRows(history: History, messages: LoadedMessages, fresh: ReadonlySet<number>): TranscriptRows {
  const stored = history.places.map((place, index) =>
    messages.get({ place, metaPlace: history.metaPlaces[index] ?? -1 }),
  );
  const metas = stored.map((one) => messageMeta(one?.meta));
  const read = readMessages(stored.map((one) => one?.message ?? null));
  const seen = new Set<number>();
  const rows: TranscriptRow[] = [];
  for (const message of read) {
    const { index, parts } = message;
    const isLoaded = stored[index] !== undefined;
    if (isLoaded && parts.length === 0) continue;
    const place = history.places[index]!;
    // A history may contain the same message twice.
    const key = seen.has(place) ? `${place}.${index}` : `${place}`;
    seen.add(place);
    rows.push({
      key,
      index,
      message: isLoaded ? message : null,
      meta: metas[index]!,
      isNew: fresh.has(index) || hasNewResult(message, fresh),
    });
  }
  return { rows, metas, loaded: stored.filter(Boolean).length };
}

function hasNewResult({ parts }: Message, fresh: ReadonlySet<number>): boolean {
  return parts.some((part) => part.kind === 'call' && part.call.result && fresh.has(part.call.result.message));
}

/** Whether a message contains a lower-case text anywhere: in its words, thoughts, or calls with arguments and results. */
export function says({ parts, raw, name }: Message, wanted: string): boolean {
  if (name?.toLowerCase().includes(wanted)) return true;
  return parts.some((part) => {
    if (part.kind === 'json') return (JSON.stringify(raw) ?? '').toLowerCase().includes(wanted);
    if (part.kind === 'call') return callTexts(part.call).some((text) => text.toLowerCase().includes(wanted));
    if (part.kind === 'pictures') return part.pictures.some(({ target }) => target.toLowerCase().includes(wanted));
    const text = part.kind === 'result' ? part.result.text : part.text;
    return text.toLowerCase().includes(wanted);
  });
}

function callTexts({ name = '', args, result }: { name?: string; args: string; result?: { text: string } }): string[] {
  return [name, args, result?.text ?? ''];
}

/** The row of a message; for a tool result, the row of its call. */
export function rowAt(rows: readonly TranscriptRow[], index: number): number {
  const own = rows.findIndex((row) => row.index === index);
  if (own !== -1) return own;
  const before = rows.findLastIndex((row) => row.index < index);
  return Math.max(0, before);
}
