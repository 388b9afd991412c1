import type { ApiResponse } from '../../http/api-request.js';
import type { IngestionResult } from './ingestion/runners-ingestion.service.js';
import type { LatestAnswer } from './runners-latest.service.js';

/** 200, or 207 when events were rejected. */
export function sendIngestion(response: ApiResponse, result: IngestionResult): void {
  const body = result.rejected.length === 0 ? `{"saved":${result.saved},"rejected":[]}` : JSON.stringify(result);
  response.statusCode = result.rejected.length === 0 ? 200 : 207;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(body);
}

/** 200 with the checkpoint, or 304 where the caller holds it already. */
export function sendLatest(response: ApiResponse, { etag, body }: LatestAnswer): void {
  response.setHeader('ETag', etag);
  response.setHeader('Cache-Control', 'no-cache');
  if (body === null) {
    response.statusCode = 304;
    response.end();
    return;
  }
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader(
    'Content-Length',
    body.reduce((sum, piece) => sum + piece.length, 0),
  );
  // One call of the system for all pieces, the headers included.
  response.cork();
  for (const piece of body) response.write(piece);
  response.end();
  response.uncork();
}
