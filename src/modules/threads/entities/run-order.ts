/** Who cancelled or retried a run, through what and why. */
export interface RunOrder {
  /** Null if not given. */
  by: string | null;
  /** The token's name, or `console`; null for the server itself. */
  through: string | null;
  reason: string | null;
}

/** An order as stored in a thread event, with the attempt that it cancelled or began. */
export interface RunOrderRecord extends RunOrder {
  /** Null in data of older versions. */
  attempt: number | null;
}

const NOTHING_SAID: RunOrderRecord = { by: null, through: null, reason: null, attempt: null };

/** @param data the event's data; older versions lack members */
export function orderIn(data: string | null): RunOrderRecord {
  return data === null ? NOTHING_SAID : { ...NOTHING_SAID, ...(JSON.parse(data) as Partial<RunOrderRecord>) };
}
