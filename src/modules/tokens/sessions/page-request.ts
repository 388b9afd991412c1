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
 * Refuses what another origin's page may have sent. Cookies and SameSite ignore ports: a page of another server on this machine counts as
 * same-site, and its requests carry the cookie. Host was already checked.
 * @param publicUrl the configured origin; proxy headers are not trusted
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
 * The same for an unauthenticated request, for which the browser must send its origin.
 * @throws DomainError as `checkOwnPage`
 */
export function checkSigningIn(headers: IncomingHttpHeaders, publicUrl: string | null): void {
  checkOwnPage(headers, publicUrl);
  if (headers.origin === undefined) throw originRequired();
}

/**
 * Refuses bodies that are not declared JSON: browsers send forms and plain text to any server unasked.
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

/** Refuses requests of other origins' pages, and bodies that are not declared JSON. */
@Injectable()
export class SigningInGate implements BodyGate {
  constructor(private readonly server: ServerConfig) {}

  check(request: ApiRequest): void {
    checkSigningIn(request.headers, this.server.publicUrl);
    checkIsJson(request);
  }
}
