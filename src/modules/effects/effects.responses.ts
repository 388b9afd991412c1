import type { ApiResponse } from '../../http/api-request.js';
import { sendJsonText } from '../../http/send-json.js';
import type { EffectResponse } from './effects-query.service.js';
import type { ClaimResponse } from './effects.service.js';

/** 201 with the effect's address for the caller that must run the tool; 200 if it is completed. */
export function sendClaim(
  response: ApiResponse,
  threadId: string,
  { isStarted, key, body }: ClaimResponse,
): void | Promise<void> {
  response.statusCode = isStarted ? 201 : 200;
  if (isStarted) {
    const [thread, name] = [threadId, key].map(encodeURIComponent);
    response.setHeader('Location', `/v1/runners/threads/${thread}/effects/${name}`);
  }
  return sendJsonText(response, body);
}

/** 200 with the response, or 304 if the caller already has it. */
export function sendEffect(response: ApiResponse, { etag, body }: EffectResponse): void | Promise<void> {
  response.setHeader('ETag', etag);
  if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'no-cache');
  if (body !== null) return sendJsonText(response, body);
  response.statusCode = 304;
  response.end();
}
