import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { DomainError } from '../common/domain-error.js';
import type { ServerConfig } from '../config/server.config.js';
import { routeNotFound } from './unmatched-route.js';

/** The only path whose callers authenticate differently and use a tunnel's host name; paths below it belong to other routes. */
const RECEIVER = /^\/v1\/channels\/webhook\/[^/?#]+\/?(?:[?#]|$)/;
const RECEIVED = new Set(['GET', 'HEAD', 'POST']);

/** Whether it looks like a messaging platform's request. */
export function isForReceiver({ url = '', method = '' }: IncomingMessage): boolean {
  return RECEIVED.has(method) && RECEIVER.test(url);
}

/**
 * Refuses requests under foreign host names. A web page can make its own name resolve to 127.0.0.1 (DNS rebinding) and then reach this
 * server from the browser; only the Host header reveals it.
 */
export class HostCheck {
  private readonly names: ReadonlySet<string>;
  /** The last valid header: the next one is nearly always the same. */
  private lastGood = '';

  constructor({
    host,
    allowedHosts,
    publicUrl = null,
  }: Pick<ServerConfig, 'host' | 'allowedHosts'> & Partial<Pick<ServerConfig, 'publicUrl'>>) {
    const publicNames = publicUrl === null ? [] : [new URL(publicUrl).host];
    this.names = new Set([host, ...allowedHosts, ...publicNames].map((name) => bareName(name)));
  }

  /** @throws DomainError `forbidden`, or `invalid` if HTTP/1.1 comes without the header */
  check(request: IncomingMessage): void {
    const { host } = request.headers;
    if (host !== undefined && host === this.lastGood) return;
    if (isForReceiver(request)) return;
    if (host === undefined) return checkAbsence(request);
    if (!this.isKnown(bareName(host))) throw unknownHost();
    this.lastGood = host;
  }

  private isKnown(name: string): boolean {
    return this.names.has(name) || isLoopbackName(name);
  }
}

/** Browsers always send the header. HTTP/1.0 may omit it, as simple health checks do. */
function checkAbsence(request: IncomingMessage): void {
  if (request.httpVersion === '1.0') return;
  throw new DomainError('invalid', 'host_missing', 'HTTP/1.1 requests must have a Host header.');
}

function unknownHost(): DomainError {
  return new DomainError(
    'forbidden',
    'host_not_allowed',
    'The server does not accept this host name. To accept it, add the name to WAYSTATION_ALLOWED_HOSTS.',
  );
}

function isLoopbackName(name: string): boolean {
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1') return true;
  return isIP(name) === 4 && name.startsWith('127.');
}

/** The bare name: lower case, without port, brackets and final dot. */
function bareName(host: string): string {
  const lower = host.toLowerCase();
  if (isIP(lower) === 6) return lower;
  const bracketed = /^\[([0-9a-f:.]+)\](?::\d+)?$/.exec(lower);
  if (bracketed?.[1] !== undefined) return bracketed[1];
  return lower.replace(/:\d+$/, '').replace(/\.$/, '');
}

/** For a public listener: it only serves the receiver of messaging platforms. */
export class WebhookOnlyCheck {
  /** @throws DomainError `not_found` */
  check(request: IncomingMessage): void {
    if (!isForReceiver(request)) throw routeNotFound();
  }
}
