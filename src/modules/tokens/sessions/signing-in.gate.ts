import { Injectable } from '@nestjs/common';
import { ServerConfig } from '../../../config/server.config.js';
import type { ApiRequest } from '../../../http/api-request.js';
import type { BodyGate } from '../../../http/body.decorators.js';
import { checkIsJson, checkSigningIn } from './page-request.js';

/** Reads nothing that a page of another origin may have sent, nor anything that is not called JSON. */
@Injectable()
export class SigningInGate implements BodyGate {
  constructor(private readonly server: ServerConfig) {}

  check(request: ApiRequest): void {
    checkSigningIn(request.headers, this.server.publicUrl);
    checkIsJson(request);
  }
}
