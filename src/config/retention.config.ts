/** How long threads and the messages of channels are kept. */
export class RetentionConfig {
  /** Days after its last change at which a thread is deleted that waits for no person (`WAYSTATION_RETENTION_DAYS`); 0 keeps all. */
  days = 0;

  /**
   * Seconds between two looks for what is to be deleted (`WAYSTATION_RETENTION_INTERVAL_SECONDS`), at least 1. The first look comes when the
   * clock has gone as fast as time for so long.
   */
  intervalSeconds = 3600;

  /**
   * Days after which channels forget messages that were worked off, dropped or sent (`WAYSTATION_CHANNEL_MESSAGE_DAYS`), at least 7:
   * platforms deliver the same message again for up to a week, and it is known again only while it is kept.
   */
  channelMessageDays = 30;
}
