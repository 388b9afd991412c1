/** How long tool calls wait for a person. */
export class ApprovalsConfig {
  /**
   * Seconds until a pending approval expires, for checkpoints without `approval_timeout_seconds` of their own
   * (`WAYSTATION_APPROVAL_TIMEOUT_SECONDS`); 0 means never. The agent sees an expired approval as a rejection.
   */
  timeoutSeconds = 0;
}
