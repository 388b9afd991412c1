import type { IngestionConfig } from '../../config/ingestion.config.js';

/** Metadata key for a route's options. */
export const RAW_BODY = 'waystation:raw-body';

export interface RawBodyOptions {
  /** Bytes at most, sent and decompressed; more is a 413. */
  limitBytes: number | ((ingestion: IngestionConfig) => number);
  /** `json` and `json-lines` refuse other content types with 415; `any` accepts everything. */
  contentType: 'json' | 'json-lines' | 'any';
  /** The route reads the body itself, line by line, with `@BodyLines`; `limitBytes` is a line's. */
  isStreamed?: true;
}
