import { FEATURES_HEADER } from '../../common/shared-features.js';
import type { ApiResponse } from '../../http/api-request.js';
import { writeHead } from '../../http/response-head.js';
import { endWithJson, sendJsonBytes } from '../../http/send-json.js';
import type { IngestionResult } from './ingestion/runners-ingestion.service.js';
import type { LatestResponse } from './runners-latest.service.js';

/**
 * 200, or 207 if events were rejected.
 * @param features what all servers support; empty for nothing
 */
export function sendIngestion(response: ApiResponse, result: IngestionResult, features: string): void {
  const isPlain = result.rejected.length === 0 && result.warnings === undefined && result.control === undefined;
  const body = isPlain ? `{"saved":${result.saved},"rejected":[]}` : JSON.stringify(result);
  response.statusCode = result.rejected.length === 0 ? 200 : 207;
  endWithJson(response, body, features === '' ? [] : [FEATURES_HEADER, features]);
}

/** 200 with the checkpoint, or 304 if the caller already has it. */
export function sendLatest(response: ApiResponse, { etag, body }: LatestResponse): void | Promise<void> {
  const headers = ['ETag', etag, ...(response.hasHeader('Cache-Control') ? [] : ['Cache-Control', 'no-cache'])];
  if (body !== null) return sendJsonBytes(response, body, headers);
  response.statusCode = 304;
  writeHead(response, headers);
  response.end();
}
