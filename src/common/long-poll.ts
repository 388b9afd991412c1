/** A request that waits for its response. */
export interface LongPoll {
  /** Creates a signal that aborts when the client disconnects. */
  gone: () => AbortSignal;
  /** Whether its token is still valid: it may have expired, or somebody may have revoked it, during the wait. */
  isStillAdmitted: () => Promise<boolean>;
}
