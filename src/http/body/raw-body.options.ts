import type { Type } from '@nestjs/common';
import type { IngestionConfig } from '../../config/ingestion.config.js';

import type { BodyGate } from './body-gate.js';

/** Where a route keeps its options. */
export const RAW_BODY = 'waystation:raw-body';

export interface RawBodyOptions {
  /** Bytes at most, sent and decompressed; more is a 413. */
  limitBytes: number | ((ingestion: IngestionConfig) => number);
  /** `json` refuses other content types with 415; `any` takes everything. */
  contentType: 'json' | 'any';
  /** A provider that is asked before the body is read. */
  gate?: Type<BodyGate>;
}
