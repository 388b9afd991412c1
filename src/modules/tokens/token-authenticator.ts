import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ApiSecret } from '../../config/api-secret.js';
import { Authenticator, type Principal } from '../../http/authenticator.js';
import { tokenHash } from './token-hash.js';
import { TokensService } from './tokens.service.js';

const MACHINE: Principal = { scope: 'admin', tokenId: null, agentIds: null, name: 'machine secret' };

/** Knows the machine secret by heart and looks every other token up, so that a revoked one is refused at once. */
@Injectable()
export class TokenAuthenticator extends Authenticator {
  private readonly secretHash: Buffer;

  constructor(
    secret: ApiSecret,
    private readonly tokens: TokensService,
  ) {
    super();
    this.secretHash = tokenHash(secret.value);
  }

  override authenticate(token: string): Principal | null | Promise<Principal | null> {
    // Both sides are digests of one length: the comparison tells nothing about the secret, not even its length.
    const presented = tokenHash(token);
    if (timingSafeEqual(presented, this.secretHash)) return MACHINE;
    return this.tokens.findHolder(token, presented.toString('hex'));
  }
}
