import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { DomainError } from '../common/domain-error.js';
import type { ApiRequest } from './api-request.js';
import { Authenticator } from './authenticator.js';
import type { Principal } from '../common/principal.js';
import { invalidToken } from '../common/invalid-token.js';
import { RoutePolicies, type RoutePolicy } from './route-policy.js';

const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;

/** Refuses requests without a token that the route accepts, unless the route is `@Public`. Runs before the body is read. */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly policies: RoutePolicies,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<ApiRequest>();
    const policy = this.policies.of(context.getClass(), context.getHandler());
    request.policy = policy;
    if (policy.isPublic) return true;
    const token = bearerToken(request.headers.authorization);
    const principal = this.authenticator.authenticate(token);
    if (!(principal instanceof Promise)) return admit(request, policy, principal);
    // A body that came with the headers is available as soon as Node has processed what it has read.
    queueMicrotask(() => (request.hadArrived = request.complete));
    request.isStillAdmitted = async () => (await this.authenticator.authenticate(token)) !== null;
    return principal.then((found) => admit(request, policy, found));
  }
}

function admit(request: ApiRequest, policy: RoutePolicy, principal: Principal | null): true {
  if (principal === null) throw invalidToken();
  if (principal.scope !== 'admin' && !policy.scopes.includes(principal.scope)) {
    throw new DomainError('forbidden', 'wrong_scope', `A token of scope ${principal.scope} may not do this.`);
  }
  request.principal = principal;
  return true;
}

function bearerToken(header: string | undefined): string {
  const token = header === undefined ? undefined : BEARER.exec(header)?.[1];
  if (token !== undefined) return token;
  throw new DomainError('unauthenticated', 'token_required', 'Send the header "Authorization: Bearer <token>".');
}
