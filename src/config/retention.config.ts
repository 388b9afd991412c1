/** How long ended threads are kept. */
export class RetentionConfig {
  /** Days after its last change at which a thread, all of whose runs have ended, is deleted (`WAYSTATION_RETENTION_DAYS`); 0 keeps all. */
  days = 0;

  /** Seconds between two looks for threads to delete (`WAYSTATION_RETENTION_INTERVAL_SECONDS`), at least 1. */
  intervalSeconds = 3600;
}
