const MEBIBYTE = 1024 * 1024;

/** Limits on agents' reports and the memory that they take. */
export class IngestionConfig {
  /** Bytes of one batch of events, after decompression (`WAYSTATION_MAX_BODY_BYTES`); beyond it the response is 413. */
  maxBodyBytes = 32 * MEBIBYTE;

  /** Events of one batch (`WAYSTATION_MAX_EVENTS_PER_BATCH`); beyond it the response is 413. */
  maxEventsPerBatch = 1000;

  /** Requests that may wait for the writer (`WAYSTATION_QUEUE_MAX_REQUESTS`); beyond it the response is 503 with Retry-After. */
  queueMaxRequests = 2000;

  /** Bytes of bodies that may wait for the writer (`WAYSTATION_QUEUE_MAX_BYTES`); beyond it the response is 503 with Retry-After. */
  queueMaxBytes = 128 * MEBIBYTE;

  /** Bytes of recent history kept in memory (`WAYSTATION_CACHE_BYTES`); 0 keeps none and always reads the database. */
  cacheBytes = 32 * MEBIBYTE;
}
