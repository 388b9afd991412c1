import { FEATURES_HEADER } from '../../common/shared-features.js';
import type { ApiResponse } from '../../http/api-request.js';
import { endWithJson, sendJsonBytes } from '../../http/send-json.js';
import type { IngestionResult } from './ingestion/runners-ingestion.service.js';
import type { LatestAnswer } from './runners-latest.service.js';

/**
 * 200, or 207 when events were rejected.
 * @param features what all servers understand; empty for nothing
 */
export function sendIngestion(response: ApiResponse, result: IngestionResult, features: string): void {
  const isPlain = result.rejected.length === 0 && result.warnings === undefined && result.control === undefined;
  const body = isPlain ? `{"saved":${result.saved},"rejected":[]}` : JSON.stringify(result);
  response.statusCode = result.rejected.length === 0 ? 200 : 207;
  if (features !== '') response.setHeader(FEATURES_HEADER, features);
  endWithJson(response, body);
}

/** 200 with the checkpoint, or 304 if the caller already has it. */
export function sendLatest(response: ApiResponse, { etag, body }: LatestAnswer): void | Promise<void> {
  response.setHeader('ETag', etag);
  if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'no-cache');
  if (body === null) {
    response.statusCode = 304;
    return void response.end();
  }
  return sendJsonBytes(response, body);
}
