import type { ServerResponse } from 'node:http';
import type { ApiRequest } from './api-request.js';
import { securityHeaders, type HeaderList } from './security-headers.js';

/** Sets headers one by one, preceded by the common ones: Express reads headers that are set. */
export function setHeaders(response: ServerResponse, headers: HeaderList): void {
  for (const list of [commonHeaders(response), headers])
    for (let at = 0; at < list.length; at += 2) response.setHeader(list[at]!, list[at + 1]!);
  (response.req as ApiRequest).hasCommonHeaders = true;
}

/** Begins the response in one call: its status, these headers, and the common ones unless they are set. */
export function writeHead(response: ServerResponse, headers: HeaderList): void {
  response.writeHead(response.statusCode, [...commonHeaders(response), ...headers]);
}

function commonHeaders({ req }: ServerResponse): HeaderList {
  const { requestId, url, hasCommonHeaders } = req as ApiRequest;
  return hasCommonHeaders ? [] : ['X-Request-Id', requestId, ...securityHeaders(url)];
}
