import type { IncomingMessage } from 'node:http';

/** The path of a request without its query, which may contain data that must not appear in logs and answers. */
export function pathOf(request: IncomingMessage & { originalUrl?: string }): string {
  const url = request.originalUrl ?? request.url ?? '/';
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}
