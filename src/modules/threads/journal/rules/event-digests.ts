import { DIGEST_LENGTH, digestOf } from '../../../../common/digest.js';
import type { TextList } from '../../../../common/text-list.js';
import type { Checkpoint } from '../../entities/checkpoint.entity.js';
import { HISTORY, type HISTORY_META } from '../../entities/message.entity.js';
import type { ListsOfReport, ReportedEvent } from '../../threads.contract.js';

type List = typeof HISTORY | typeof HISTORY_META;

/** Bytes. Digests that are stored depend on it, so it is not for anybody else to share and never changes. */
const LONG_TEXT = 256 * 1024;

/** What the thread of each event remembers it by; events that leave no digest are absent. */
export type SeenDigests = ReadonlyMap<ReportedEvent, string>;

/** @param binding see `seenDigestOf` */
export function seenDigestsOf(events: readonly ReportedEvent[], binding: string | null): SeenDigests {
  const digests = new Map<ReportedEvent, string>();
  for (const event of events) {
    const digest = seenDigestOf(event, binding);
    if (digest !== null) digests.set(event, digest);
  }
  return digests;
}

/**
 * Ids are remembered by their digest; without one, notes and endings, which leave no checkpoint, by what they say.
 * @param binding of the token that reports: none makes the events of another replays by sending them first
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
 * Equal for the same report however often it is sent, whole or with a base: the text without lists and base, and the elements of the lists.
 * @param ofLists see `listDigestsOf`
 */
export function reportDigestOf(event: ReportedEvent, ofLists?: string): string {
  const digests = event.kind === 'checkpoint' ? (ofLists ?? listDigestsOf(event)) : '';
  return digestOf(`${event.type}\n${said(event)}\n${digests}`);
}

/** The digests of both whole lists, one behind the other; an empty one has none. Checkpoints keep them as `list_digests`. */
export function listDigestsOf({ history, historyMeta, historyBefore, metaBefore }: ListsOfReport): string {
  return digestOfList(history, historyBefore, true) + digestOfList(historyMeta, metaBefore, false);
}

function digestOfList(list: TextList, before: string | undefined, keepsDigests: boolean): string {
  return before === undefined ? list.digestOfAll(keepsDigests) : list.digestBehind(before, keepsDigests);
}

/** The digest of a list of a stored report that is not empty; null where it was not kept. */
export function storedDigestOf({ list_digests }: Pick<Checkpoint, 'list_digests'>, list: List): string | null {
  if (!list_digests) return null;
  return list === HISTORY ? list_digests.slice(0, DIGEST_LENGTH) : list_digests.slice(-DIGEST_LENGTH);
}

/** What the reports are known by that say the same as an event without an id. */
export class SameReports {
  private earlier: string | null = null;

  constructor(
    private readonly event: ReportedEvent,
    private readonly digest: string,
  ) {}

  /** The first of these reports that says the same; null where none does. */
  firstAmong<R extends Pick<Checkpoint, 'digest'>>(reports: readonly R[]): R | null {
    if (reports.length === 0) return null;
    const found = reports.find(({ digest }) => digest === this.digest);
    if (found) return found;
    this.earlier ??= earlierDigestOf(this.event);
    return reports.find(({ digest }) => digest === this.earlier) ?? null;
  }
}

/** What was stored for the same checkpoint before digests of lists could be continued. */
function earlierDigestOf(event: ReportedEvent): string {
  let elements = '';
  for (let i = 0; i < event.history.count; i++) elements += event.history.digest(i);
  return digestOf(`${event.type}\n${said(event)}\n${digestOf(elements)}${digestOf(event.historyMeta.bytes)}`);
}

/** For long data its digest stands, which takes long to work out and may be known already. */
function said({ dataText }: ReportedEvent): string {
  return dataText.length > LONG_TEXT ? dataText.digest() : dataText.toString();
}
