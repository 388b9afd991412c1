/** How long threads and the messages of channels are kept. */
export class RetentionConfig {
  /** Days after its last change after which a thread is deleted unless it waits for a person (`WAYSTATION_RETENTION_DAYS`); 0 keeps all. */
  days = 0;

  /**
   * Seconds between deletions (`WAYSTATION_RETENTION_INTERVAL_SECONDS`), at least 1. The first comes when the clock has run steadily
   * for that long.
   */
  intervalSeconds = 3600;

  /**
   * Days after which channels delete messages that are handled, dropped or sent (`WAYSTATION_CHANNEL_MESSAGE_DAYS`), at least 7:
   * platforms redeliver a message for up to a week, and the server recognises it only while it keeps it.
   */
  channelMessageDays = 30;
}
