/** When a run counts as silent. */
export class RunsConfig {
  /**
   * Seconds without an event, a heartbeat or a lease after which a run in progress is shown as silent
   * (`WAYSTATION_SILENT_AFTER_SECONDS`), 1 to 31,536,000.
   */
  silentAfterSeconds = 600;
}
