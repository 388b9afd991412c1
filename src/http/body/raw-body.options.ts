import type { IngestionConfig } from '../../config/ingestion.config.js';

/** Where a route keeps its options. */
export const RAW_BODY = 'waystation:raw-body';

export interface RawBodyOptions {
  /** Bytes at most, sent and decompressed; more is a 413. */
  limitBytes: number | ((ingestion: IngestionConfig) => number);
  /** `json` refuses other content types with 415; `any` takes everything. */
  contentType: 'json' | 'any';
}
