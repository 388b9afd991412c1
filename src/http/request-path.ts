import type { IncomingMessage } from 'node:http';

/** The path of a request without its query, which may hold what does not belong into logs and answers. */
export function pathOf(request: IncomingMessage & { originalUrl?: string }): string {
  const url = request.originalUrl ?? request.url ?? '/';
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}
