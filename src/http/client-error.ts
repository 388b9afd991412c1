import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { newId } from '../common/ids.js';
import { problem, type Problem } from './problem.js';
import { securityHeaders } from './security-headers.js';

/**
 * Responds to requests that Node cannot parse as HTTP and closes the connection; no middleware sees them.
 * @param last the last response on this connection, if any
 */
export function respondToClientError(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  last: ServerResponse | undefined,
): void {
  const isResponding = last !== undefined && last.headersSent && !last.writableFinished;
  if (!socket.writable || error.code === 'ECONNRESET' || isResponding) {
    socket.destroy();
    return;
  }
  socket.end(rawResponse(problemOfCode(error.code)), () => socket.destroy());
}

function problemOfCode(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW')
    return problem(431, 'headers_too_large', 'The request headers are too large.', 'info');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return problem(408, 'request_timeout', 'The request took too long to arrive.', 'info');
  return problem(400, 'invalid_http', 'The request is not valid HTTP/1.1.', 'info');
}

function rawResponse({ status, document }: Problem): string {
  const body = JSON.stringify(document);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${newId()}`,
    ...securityHeaders('').flatMap((name, at, all) => (at % 2 === 0 ? `${name}: ${all[at + 1]!}` : [])),
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
