/** Numbers within a thread are 32-bit integers. */
const MAX_INT32 = 2_147_483_647;
const EVENT_ID = /^(\d{1,10})(?:\.(\d{1,9}))?$/;

/**
 * The id of an event in a thread's live stream. One change may cause several events: `17` is the last event of change 17, those before it
 * are `17.0`, `17.1` and so on, sometimes with gaps.
 */
export interface EventId {
  /** The number of the change in the thread. */
  seq: number;
  /** Which of its events; null for the last. */
  part: number | null;
}

export function formatEventId({ seq, part }: EventId): string {
  return part === null ? `${seq}` : `${seq}.${part}`;
}

/** Null if the text is no event id. */
export function parseEventId(text: string): EventId | null {
  const [, seq, part] = EVENT_ID.exec(text) ?? [];
  if (seq === undefined || Number(seq) > MAX_INT32) return null;
  return { seq: Number(seq), part: part === undefined ? null : Number(part) };
}
