import type { IncomingMessage } from 'node:http';
import { DomainError } from '../common/domain-error.js';

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\//i;

/**
 * Refuses requests with an ambiguous target, as RFC 9112 section 3.2 demands: proxies before this server may have read them differently. A
 * request line that names the server is reduced to its path.
 * @throws DomainError `invalid`
 */
export function checkTarget(request: IncomingMessage): void {
  if (hasTwoHosts(request)) {
    throw new DomainError('invalid', 'host_ambiguous', 'The request has more than one Host header.');
  }
  const { url = '' } = request;
  if (url.startsWith('/') || !ABSOLUTE.test(url)) return;
  const target = URL.canParse(url) ? new URL(url) : null;
  const authority = /^[^:]*:\/\/([^/?#]*)/.exec(url)?.[1]?.toLowerCase() ?? '';
  request.headers.host ??= authority;
  if (target === null || !/^https?:$/.test(target.protocol) || authority !== request.headers.host.toLowerCase()) {
    const detail = 'The address in the first line of the request differs from its Host header.';
    throw new DomainError('invalid', 'foreign_authority', detail);
  }
  const path = url.slice(url.indexOf('//') + 2 + authority.length);
  request.url = path.startsWith('/') ? path : `/${path}`;
}

/** Node keeps the first one and hides the others. */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

/** A request's path without its query, which may contain data that must not appear in logs and responses. */
export function pathOf(request: IncomingMessage & { originalUrl?: string }): string {
  const url = request.originalUrl ?? request.url ?? '/';
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}
