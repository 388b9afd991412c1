import type { ApiResponse } from './api-request.js';

/** Answers with JSON that is text already. */
export function sendJsonText(response: ApiResponse, text: string): void {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}
