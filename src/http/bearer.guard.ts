import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { DomainError } from '../common/domain-error.js';
import type { ApiRequest, ApiResponse } from './api-request.js';
import { Authenticator } from './authenticator.js';
import { hasOneOf, type Principal } from '../common/principal.js';
import { endedSession, invalidToken } from '../common/invalid-token.js';
import { RoutePolicies, type RoutePolicy } from './route-policy.js';

/** Refuses requests without a token or session that the route accepts, unless the route is `@Public`. Runs before the body is read. */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly policies: RoutePolicies,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<ApiRequest>();
    const policy = this.policies.of(context.getClass(), context.getHandler());
    request.policy = policy;
    if (policy.isPublic) return true;
    const principal = this.authenticator.authenticate(request);
    if (!(principal instanceof Promise)) return admit(request, policy, principal);
    // A body that came with the headers is available as soon as Node has processed what it has read.
    queueMicrotask(() => (request.hadArrived = request.complete));
    request.isStillAdmitted = async () => (await this.authenticator.authenticate(request)) !== null;
    return principal.then((found) => {
      if (found?.sessionId !== undefined) keepOut(http.getResponse<ApiResponse>());
      return admit(request, policy, found);
    });
  }
}

/** A browser writes down what it reads unless it is asked not to, and would still have it when the session has ended. */
function keepOut(response: ApiResponse): void {
  response.setHeader('Cache-Control', 'no-store');
}

function admit(request: ApiRequest, policy: RoutePolicy, principal: Principal | null): true {
  if (principal === null) throw request.headers.authorization === undefined ? endedSession() : invalidToken();
  if (!hasOneOf(policy.scopes, principal)) {
    const bearer = principal.sessionId === undefined ? 'token' : 'session';
    throw new DomainError('forbidden', 'wrong_scope', `A ${bearer} of scope ${principal.scope} may not do this.`);
  }
  request.principal = principal;
  return true;
}
