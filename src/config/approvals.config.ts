/** How long tool calls wait for a person. */
export class ApprovalsConfig {
  /**
   * Seconds until a pending approval expires, for checkpoints without `approval_timeout_seconds` of their own
   * (`WAYSTATION_APPROVAL_TIMEOUT_SECONDS`); 0 means never. The agent sees an expired approval as a rejection.
   */
  timeoutSeconds = 0;

  /**
   * Seconds after which people are reminded of a pending approval, for checkpoints without `approval_remind_seconds` of their own
   * (`WAYSTATION_APPROVAL_REMIND_SECONDS`): up to 5 increasing numbers from 60 to 2,592,000; empty means never.
   */
  remindSeconds: readonly number[] = [];
}
