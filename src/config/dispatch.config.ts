/** How long to wait for agents, and for dead instances. */
export class DispatchConfig {
  /**
   * Seconds without progress after which a chat stops waiting for a run, and its next message is processed
   * (`WAYSTATION_RUN_LIMIT_SECONDS`), at least 1. Time in which a tool call waits for a person does not count if the question about it
   * has reached the chat or still may.
   */
  runLimitSeconds = 3600;

  /**
   * Seconds after which another instance takes over a dead instance's work (`WAYSTATION_LEASE_SECONDS`), at least 2. The same for all
   * instances on one database. The default allows noticing the death and doing the work within 30 s.
   */
  leaseSeconds = 20;
}
