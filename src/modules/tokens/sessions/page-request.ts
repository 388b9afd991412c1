import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { DomainError } from '../../../common/domain-error.js';
import { checkJsonContentType } from '../../../http/body/content-type.js';
import { unsupportedMedia } from '../../../http/body/body.errors.js';
import { foreignOrigin, originRequired } from './sessions.errors.js';
import { Injectable } from '@nestjs/common';
import { ServerConfig } from '../../../config/server.config.js';
import type { ApiRequest } from '../../../http/api-request.js';
import type { BodyGate } from '../../../http/body.decorators.js';

/**
 * Refuses what a page of another origin may have sent. Cookies and SameSite ignore ports: a page of another server on this machine
 * counts as same site, and its requests carry the cookie. The entry of all requests has checked that Host is a name of this server.
 * @param publicUrl the origin that the configuration names; headers of proxies say nothing
 * @throws DomainError `forbidden`, or `invalid` without Host
 */
export function checkOwnPage({ host, origin, ...headers }: IncomingHttpHeaders, publicUrl: string | null): void {
  if (host === undefined) throw new DomainError('invalid', 'host_missing', 'The request has no Host header.');
  const own = [publicUrl, `http://${host.toLowerCase()}`];
  if (origin !== undefined && !own.includes(origin.toLowerCase())) throw foreignOrigin();
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') throw foreignOrigin();
}

/**
 * The same for a request without any proof of who sends it, in which the browser must say where it comes from.
 * @throws DomainError as `checkOwnPage`
 */
export function checkSigningIn(headers: IncomingHttpHeaders, publicUrl: string | null): void {
  checkOwnPage(headers, publicUrl);
  if (headers.origin === undefined) throw originRequired();
}

/**
 * Refuses bodies that are not called JSON: forms and plain text go out to any server without asking it first.
 * @throws DomainError `unsupported_media`
 */
export function checkIsJson({ headers }: IncomingMessage): void {
  const type = headers['content-type'];
  const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
  if (hasBody && type === undefined) {
    throw unsupportedMedia('unsupported_content_type', 'Content-Type must be application/json.');
  }
  checkJsonContentType(type);
}

/** Reads nothing that a page of another origin may have sent, nor anything that is not called JSON. */
@Injectable()
export class SigningInGate implements BodyGate {
  constructor(private readonly server: ServerConfig) {}

  check(request: ApiRequest): void {
    checkSigningIn(request.headers, this.server.publicUrl);
    checkIsJson(request);
  }
}
