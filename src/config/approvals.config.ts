/** How long tool calls wait for a person. */
export class ApprovalsConfig {
  /**
   * Seconds until a pending approval expires, for checkpoints without `approval_timeout_seconds` of their own
   * (`WAYSTATION_APPROVAL_TIMEOUT_SECONDS`); 0 lets them wait without end. An expired approval is a rejection for the agent.
   */
  timeoutSeconds = 0;
}
