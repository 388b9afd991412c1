/** A request whose answer waits for something. */
export interface LongPoll {
  /** Makes a signal that aborts when nobody waits for the answer any more. */
  gone: () => AbortSignal;
  /** Whether its token is still good: it may have been revoked, or have expired, during the wait. */
  isStillAdmitted: () => Promise<boolean>;
}
