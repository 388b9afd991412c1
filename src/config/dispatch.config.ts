/** How long is waited: for agents, and for instances that have died. */
export class DispatchConfig {
  /**
   * Seconds without any progress after which the answer of a run that a chat message started is no longer waited for, and the next
   * message of its conversation has its turn (`WAYSTATION_RUN_LIMIT_SECONDS`), at least 1. Time in which a tool call waits for a
   * person does not count, where the question about it has reached the chat or may yet do so.
   */
  runLimitSeconds = 3600;

  /**
   * Seconds after which another instance goes on with what an instance that died was at (`WAYSTATION_LEASE_SECONDS`), at least 2.
   * The same for all instances on one database. The default leaves time to notice and to do the work within 30 s of the death.
   */
  leaseSeconds = 20;
}
