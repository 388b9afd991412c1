import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { DomainError } from '../common/domain-error.js';
import type { ApiRequest, ApiResponse } from './api-request.js';
import { Authenticator } from './authenticator.js';
import { endsWith, hasOneOf, type Principal } from '../common/principal.js';
import { endedSession, invalidToken } from '../common/invalid-token.js';
import { RoutePolicies, type RoutePolicy } from './route-policy.js';
import { ThreadVisibility } from '../common/thread-visibility.js';

/** Refuses requests without a token or session that the route accepts, unless the route is `@Public`. Runs before the body is read. */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly policies: RoutePolicies,
    private readonly visibility: ThreadVisibility,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<ApiRequest>();
    request.policy = this.policies.of(context.getClass(), context.getHandler());
    return this.admit(request, http.getResponse<ApiResponse>(), request.policy);
  }

  /** @throws DomainError `unauthenticated` or `forbidden` if the route is closed to the caller */
  admit(request: ApiRequest, response: ApiResponse, policy: RoutePolicy): true | Promise<true> {
    if (policy.isPublic) return true;
    const principal = this.authenticator.authenticate(request);
    if (!(principal instanceof Promise)) return assertAdmitted(request, policy, principal);
    // A body sent together with the headers is available once Node has processed what it has read.
    queueMicrotask(() => (request.hadArrived = request.complete));
    request.isStillAdmitted = async () => (await this.authenticator.authenticate(request)) !== null;
    request.onRevoked = (listener) =>
      this.authenticator.onRevoked((id) => {
        if (request.principal && endsWith(request.principal, id)) listener();
      });
    return principal.then((found) => {
      if (found?.sessionId !== undefined) forbidCaching(response);
      return assertAdmitted(request, policy, found) && this.narrow(request, policy);
    });
  }

  /** Limits a bound reader to its agents. It must not learn whether other threads exist. */
  private async narrow(request: ApiRequest, { boundReaders }: RoutePolicy): Promise<true> {
    const { principal } = request;
    if (principal?.scope !== 'reader' || principal.agentIds === null) return true;
    if (boundReaders === null) throw notForBoundReaders();
    if (boundReaders === 'own') return true;
    const { agentIds } = principal;
    const threadId = String(request.params.thread_id);
    request.assertVisible = () => this.visibility.assertVisible(threadId, agentIds);
    await request.assertVisible();
    // From here on it may see the whole thread.
    request.principal = { ...principal, agentIds: null };
    return true;
  }
}

function notForBoundReaders(): DomainError {
  return new DomainError(
    'forbidden',
    'wrong_scope',
    'A token of scope reader that is bound to agents may not do this; one without agents may.',
  );
}

/** Otherwise a browser would cache responses beyond the end of the session. */
function forbidCaching(response: ApiResponse): void {
  response.setHeader('Cache-Control', 'no-store');
}

function assertAdmitted(request: ApiRequest, policy: RoutePolicy, principal: Principal | null): true {
  if (principal === null) throw request.headers.authorization === undefined ? endedSession() : invalidToken();
  if (!hasOneOf(policy.scopes, principal)) {
    const bearer = principal.sessionId === undefined ? 'token' : 'session';
    const allowed = [...policy.scopes.filter((scope) => scope !== 'admin'), 'admin'].join(' or ');
    const message = `A ${bearer} of scope ${principal.scope} may not do this; one of scope ${allowed} may.`;
    throw new DomainError('forbidden', 'wrong_scope', message);
  }
  request.principal = principal;
  return true;
}
