/** By whom, through what and why a person cancelled or retried a run, as the event of the thread has it. */
export interface RunOrder {
  /** Null where nobody said. */
  by: string | null;
  /** The name of the token, or `console`; null for what the server does by itself. */
  through: string | null;
  reason: string | null;
}

/** The same as an event of the thread has it, with the attempt that was cancelled, or that the retry began. */
export interface RunOrderRecord extends RunOrder {
  /** Null for what an older version kept. */
  attempt: number | null;
}

const NOTHING_SAID: RunOrderRecord = { by: null, through: null, reason: null, attempt: null };

/** @param data of the event; what older versions kept lacks members */
export function orderIn(data: string | null): RunOrderRecord {
  return data === null ? NOTHING_SAID : { ...NOTHING_SAID, ...(JSON.parse(data) as Partial<RunOrderRecord>) };
}
