/** What counts as a run that goes on. */
export class RunsConfig {
  /**
   * Seconds without event, heartbeat or lease after which a run that is under way is shown as silent
   * (`WAYSTATION_SILENT_AFTER_SECONDS`), 1 to 31,536,000.
   */
  silentAfterSeconds = 600;
}
