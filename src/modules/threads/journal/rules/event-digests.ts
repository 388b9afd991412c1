import { DIGEST_LENGTH, digestOf } from '../../../../common/digest.js';
import type { TextList } from '../../../../common/text-list.js';
import type { Checkpoint } from '../../entities/checkpoint.entity.js';
import { HISTORY, type MessageList } from '../../entities/message.entity.js';
import type { ListsOfReport, ReportedEvent } from '../../threads.contract.js';

/** Bytes. Never change this or share it: stored digests depend on it. */
const LONG_TEXT = 256 * 1024;

/** The digest that each event leaves in its thread; events that leave none are absent. */
export type SeenDigests = ReadonlyMap<ReportedEvent, string>;

export function seenDigestsOf(events: readonly ReportedEvent[], binding: string | null): SeenDigests {
  const digests = new Map<ReportedEvent, string>();
  for (const event of events) {
    const digest = seenDigestOf(event, binding);
    if (digest !== null) digests.set(event, digest);
  }
  return digests;
}

/**
 * The digest of the event's id or, for notes and endings without one, of their text.
 * @param binding of the reporting token: no token can turn another's events into replays by sending them first
 */
function seenDigestOf(event: ReportedEvent, binding: string | null): string | null {
  const text = seenTextOf(event);
  return text === null ? null : digestOf(binding === null ? text : `bound:${binding}:${text}`);
}

function seenTextOf(event: ReportedEvent): string | null {
  if (event.id !== null) return `id:${event.id}`;
  if (event.kind === 'checkpoint' || event.kind === 'started') return null;
  if (event.kind !== 'note') return `ending:${event.type}:${said(event)}`;
  return `note:${event.type}:${event.occurredAtMs ?? ''}:${event.sequenceNum ?? ''}:${said(event)}`;
}

/**
 * Equal for the same report however often it is sent, whole or with a base: it covers the text without lists and base, and the lists'
 * elements.
 * @param ofLists see `listDigestsOf`
 */
export function reportDigestOf(event: ReportedEvent, ofLists?: string): string {
  const digests = event.kind === 'checkpoint' ? (ofLists ?? listDigestsOf(event)) : '';
  return digestOf(`${event.type}\n${said(event)}\n${digests}`);
}

/** The digests of both whole lists, concatenated; an empty list has none. Checkpoints keep them as `list_digests`. */
export function listDigestsOf({ history, historyMeta, historyBefore, metaBefore }: ListsOfReport): string {
  return digestOfList(history, historyBefore, true) + digestOfList(historyMeta, metaBefore, false);
}

function digestOfList(list: TextList, before: string | undefined, keepsDigests: boolean): string {
  return before === undefined ? list.digestOfAll(keepsDigests) : list.digestBehind(before, keepsDigests);
}

/** The digest of a stored report's non-empty list; null if it was not kept. */
export function storedDigestOf({ list_digests }: Pick<Checkpoint, 'list_digests'>, list: MessageList): string | null {
  if (!list_digests) return null;
  return list === HISTORY ? list_digests.slice(0, DIGEST_LENGTH) : list_digests.slice(-DIGEST_LENGTH);
}

export class SameReports {
  private earlier: string | null = null;

  constructor(
    private readonly event: ReportedEvent,
    private readonly digest: string,
  ) {}

  firstAmong<R extends Pick<Checkpoint, 'digest'>>(reports: readonly R[]): R | null {
    if (reports.length === 0) return null;
    const found = reports.find(({ digest }) => digest === this.digest);
    if (found) return found;
    this.earlier ??= earlierDigestOf(this.event);
    return reports.find(({ digest }) => digest === this.earlier) ?? null;
  }
}

/** The digest stored for the same checkpoint before list digests could be continued. */
function earlierDigestOf(event: ReportedEvent): string {
  let elements = '';
  for (let i = 0; i < event.history.count; i++) elements += event.history.digest(i);
  return digestOf(`${event.type}\n${said(event)}\n${digestOf(elements)}${digestOf(event.historyMeta.bytes)}`);
}

/** Long data is replaced by its digest, which is slow to compute but may be cached. */
function said({ dataText }: ReportedEvent): string {
  return dataText.length > LONG_TEXT ? dataText.digest() : dataText.toString();
}
