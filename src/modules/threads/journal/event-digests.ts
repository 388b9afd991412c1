import { digestOf } from '../../../common/digest.js';
import type { ReportedEvent } from '../threads.contract.js';

/** Bytes. Digests that are stored depend on it, so it is not for anybody else to share and never changes. */
const LONG_TEXT = 256 * 1024;

/**
 * Ids are remembered by their digest; without one, notes and endings, which leave no checkpoint, by what they say.
 * @param binding of the token that reports: none makes the events of another replays by sending them first
 */
export function seenDigestOf(event: ReportedEvent, binding: string | null): string | null {
  const text = seenTextOf(event);
  return text === null ? null : digestOf(binding === null ? text : `bound:${binding}:${text}`);
}

function seenTextOf(event: ReportedEvent): string | null {
  if (event.id !== null) return `id:${event.id}`;
  if (event.kind === 'checkpoint' || event.kind === 'started') return null;
  if (event.kind !== 'note') return `ending:${event.type}:${said(event)}`;
  return `note:${event.type}:${event.occurredAtMs ?? ''}:${event.sequenceNum ?? ''}:${said(event)}`;
}

/** Equal for the same report however often it is sent: the text without the lists, and the elements of the lists. */
export function reportDigestOf(event: ReportedEvent): string {
  const lists = event.kind === 'checkpoint' ? event.history.digestOfAll() + digestOf(event.historyMeta.bytes) : '';
  return digestOf(`${event.type}\n${said(event)}\n${lists}`);
}

/** For long data its digest stands, which takes long to work out and may be known already. */
function said({ dataText }: ReportedEvent): string {
  return dataText.length > LONG_TEXT ? dataText.digest() : dataText.toString();
}
