/** A request that waits for its answer. */
export interface LongPoll {
  /** Makes a signal that aborts when the client has gone. */
  gone: () => AbortSignal;
  /** Whether its token is still valid: it may have expired, or somebody may have revoked it, during the wait. */
  isStillAdmitted: () => Promise<boolean>;
}
