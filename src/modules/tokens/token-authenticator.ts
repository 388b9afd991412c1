import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { ApiSecret } from '../../config/api-secret.js';
import { ChangeFeed } from '../../database/change-feed.js';
import { Authenticator, bearerToken } from '../../http/authenticator.js';
import type { Principal } from '../../common/principal.js';
import { SessionsService } from './sessions/sessions.service.js';
import { TokensService } from './tokens.service.js';

/** The longest machine secret; bearer tokens are ASCII, so characters are bytes. */
const MAX_TOKEN_BYTES = 512;
export const MACHINE: Principal = { scope: 'admin', tokenId: null, agentIds: null, run: null, name: 'machine secret' };

/**
 * Holds the machine secret in memory and looks up every other token, so that a revoked one is refused at once. Requests without a token may
 * belong to a console session.
 */
@Injectable()
export class TokenAuthenticator extends Authenticator {
  private readonly secret = Buffer.alloc(MAX_TOKEN_BYTES);
  private readonly presented = Buffer.alloc(MAX_TOKEN_BYTES);

  constructor(
    secret: ApiSecret,
    private readonly tokens: TokensService,
    private readonly sessions: SessionsService,
    private readonly feed: ChangeFeed,
  ) {
    super();
    this.secret.write(secret.value, 'latin1');
  }

  override authenticate(request: IncomingMessage): Principal | null | Promise<Principal | null> {
    const { authorization } = request.headers;
    if (authorization === undefined && this.sessions.isMeant(request)) return this.sessions.findHolder(request);
    const token = bearerToken(authorization);
    if (token.length > MAX_TOKEN_BYTES) return null;
    return this.isSecret(token) ? MACHINE : this.tokens.findHolder(token);
  }

  override onRevoked(listener: (id: string) => void): () => void {
    return this.feed.subscribeToRevoked(listener);
  }

  /** Pads both sides to one length: the comparison reveals nothing about the secret, not even its length. */
  private isSecret(token: string): boolean {
    this.presented.fill(0).write(token, 'latin1');
    return timingSafeEqual(this.presented, this.secret);
  }
}
