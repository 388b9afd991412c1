import { isoTime } from '../../../common/clock.js';
import { isTooLargeToShow } from '../shapes/json-text.js';
import type { LogSource } from './log-entry.js';
import type { Range } from '../message-log/ranges.js';
import type { ElementPlaces } from '../message-log/new-elements.js';
import { placesAt } from '../message-log/range-sets.js';

/** Reads the elements at these places in order. */
export type TextReader = (places: readonly Range[]) => AsyncIterable<string>;

/** The checkpoint that reported the messages. */
export interface Attribution {
  agentId: string;
  traceId: string;
  stepIndex: number;
  createdAtMs: number;
}

export interface AttributedMessage {
  text: string;
  source: LogSource;
}

const ISO_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;

/**
 * Messages of a checkpoint with the times and tokens of the metadata at the same index. A message without a time gets the previous
 * message's, otherwise the checkpoint's time of arrival; both are marked as estimates.
 * @param indexes of the messages in the checkpoint's history
 */
export async function* attributedMessages(
  lists: ElementPlaces,
  indexes: readonly Range[],
  { agentId, traceId, stepIndex, createdAtMs }: Attribution,
  read: { history: TextReader; meta: TextReader },
): AsyncGenerator<AttributedMessage> {
  const metas = read.meta(placesAt(lists.meta, indexes))[Symbol.asyncIterator]();
  let lastTs = isoTime(createdAtMs);
  for await (const text of read.history(placesAt(lists.history, indexes))) {
    const next = await metas.next();
    const meta = next.done ? {} : readMeta(next.value);
    lastTs = meta.ts ?? lastTs;
    const source: LogSource = { ts: lastTs, agent_id: agentId, trace_id: traceId, step_index: stepIndex };
    if (meta.tokens_in !== undefined) source.tokens_in = meta.tokens_in;
    if (meta.tokens_out !== undefined) source.tokens_out = meta.tokens_out;
    if (meta.ts === undefined) source.is_ts_estimated = true;
    yield { text, source };
  }
}

interface Meta {
  ts?: string;
  tokens_in?: number;
  tokens_out?: number;
}

/** The usable part of a metadata entry, which may be any JSON. */
function readMeta(text: string): Meta {
  if (isTooLargeToShow(text)) return {};
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) return {};
  const { ts, tokens_in, tokens_out } = value as Record<string, unknown>;
  return { ts: timeOf(ts), tokens_in: countOf(tokens_in), tokens_out: countOf(tokens_out) };
}

/** Many programs write UTC without a zone. */
function timeOf(value: unknown): string | undefined {
  const zone = typeof value === 'string' ? ISO_TIME.exec(value)?.[3] : undefined;
  if (typeof value !== 'string' || !ISO_TIME.test(value)) return undefined;
  const withZone = `${value.replace(' ', 'T')}${zone === undefined ? 'Z' : ''}`;
  const ms = Date.parse(withZone);
  if (Number.isNaN(ms)) return undefined;
  return withZone.endsWith('Z') && withZone.length > 19 ? withZone : isoTime(ms);
}

function countOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}
