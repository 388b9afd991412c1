import { randomUUID } from 'node:crypto';

/** Distinguishes a repeated event from a new one. Programs may give their own values. */
export interface Stamp {
  id?: string;
  sequence_num?: number;
  occurred_at?: string | number;
}

/** An event's members besides its data. */
export interface Envelope extends Stamp {
  /** Of its run's lease; null without one. */
  fence?: number | null;
}

/** Leaves room for a thousand events per millisecond, so that numbers grow from one process to the next. */
const NUMBERS_A_MILLISECOND = 1000;

/**
 * Creates events from types and data, each with an id, a number and a time, so that resending is always safe.
 * Times never go back, even when the clock does: the server treats an event from before its run's start as late.
 */
export class EventStamper {
  private lastMs = 0;
  private lastNumber: number;

  constructor(private readonly nowMs: () => number = Date.now) {
    this.lastNumber = nowMs() * NUMBERS_A_MILLISECOND;
  }

  /** The JSON text of an event. @param dataText JSON text of an object, sent exactly as it is */
  stamp(type: string, dataText: string, given: Envelope = {}): string {
    this.lastMs = Math.max(this.lastMs, this.nowMs());
    this.lastNumber += 1;
    const envelope = {
      type,
      id: given.id ?? randomUUID(),
      sequence_num: given.sequence_num ?? this.lastNumber,
      occurred_at: given.occurred_at ?? new Date(this.lastMs).toISOString(),
      ...(given.fence ? { fence: given.fence } : {}),
    };
    return `${JSON.stringify(envelope).slice(0, -1)},"data":${dataText}}`;
  }
}
