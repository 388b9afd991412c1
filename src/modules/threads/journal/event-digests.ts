import { digestOf } from '../../../common/digest.js';
import type { ReportedEvent } from './reported-event.js';

/** Ids are remembered by their digest; without one, notes and endings, which leave no checkpoint, by what they say. */
export function seenDigestOf(event: ReportedEvent): string | null {
  if (event.id !== null) return digestOf(`id:${event.id}`);
  if (event.kind === 'checkpoint' || event.kind === 'started') return null;
  if (event.kind !== 'note') return digestOf(`ending:${event.type}:${event.dataText}`);
  return digestOf(`note:${event.type}:${event.occurredAtMs ?? ''}:${event.sequenceNum ?? ''}:${event.dataText}`);
}

/** Equal for the same report however often it is sent: the text without the lists, and the elements of the lists. */
export function reportDigestOf(event: ReportedEvent): string {
  const lists = event.kind === 'checkpoint' ? event.history.digestOfAll() + digestOf(event.historyMeta.bytes) : '';
  return digestOf(`${event.type}\n${event.dataText}\n${lists}`);
}
