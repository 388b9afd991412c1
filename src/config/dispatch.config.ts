/** How long to wait for agents, and for dead instances. */
export class DispatchConfig {
  /**
   * Seconds without progress after which a chat stops waiting for a run's answer, and the next message of its conversation has its
   * turn (`WAYSTATION_RUN_LIMIT_SECONDS`), at least 1. Time in which a tool call waits for a person does not count if the question
   * about it has reached the chat or may still do so.
   */
  runLimitSeconds = 3600;

  /**
   * Seconds after which another instance takes over a dead instance's work (`WAYSTATION_LEASE_SECONDS`), at least 2.
   * The same for all instances on one database. The default leaves time to notice and to do the work within 30 s of the death.
   */
  leaseSeconds = 20;
}
