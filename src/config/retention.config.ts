/** How long threads and channels' messages are kept. */
export class RetentionConfig {
  /**
   * Days since its last change until a thread is deleted (`WAYSTATION_RETENTION_DAYS`); 0 keeps all. A thread stays if it waits for a
   * person, has a write effect that never ended, or its lease was granted in these days.
   */
  days = 0;

  /**
   * Seconds between deletions (`WAYSTATION_RETENTION_INTERVAL_SECONDS`), at least 1. The first deletion needs a clock that has run
   * steadily for that long.
   */
  intervalSeconds = 3600;

  /**
   * Days until channels delete messages that are handled, dropped or sent (`WAYSTATION_CHANNEL_MESSAGE_DAYS`), at least 7: platforms
   * redeliver messages for up to a week, and the server recognises only those it still has.
   */
  channelMessageDays = 30;
}
