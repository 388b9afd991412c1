import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { AgentConfig } from '../../../config/agent.config.js';
import type { ApiRequest } from '../../../http/api-request.js';
import { HostCheck } from '../../../http/host-check.js';
import { pathOf } from '../../../http/request-target.js';
import { RoutePolicies } from '../../../http/route-policy.js';
import { AgentRoutes, type AgentRoute } from './agent-routes.service.js';
import { checkBearer } from './caller-proof.js';
import { InvokeToken } from '../heartbeat/own-agents.js';
import { contentTypeMissing, methodNotAllowed, routeNotFound } from './webhooks.errors.js';

export interface AgentRequest extends ApiRequest {
  /** What the request is for; set by the guard. */
  agentRoute?: AgentRoute;
}

/** Finds what a request is for and lets it in as that demands, before its body is read. Signatures need the body and are checked later. */
@Injectable()
export class AgentCallerGuard implements CanActivate {
  private readonly hostCheck: HostCheck;

  constructor(
    private readonly routes: AgentRoutes,
    private readonly invokeToken: InvokeToken,
    private readonly policies: RoutePolicies,
    config: AgentConfig,
  ) {
    this.hostCheck = new HostCheck(config);
  }

  canActivate(context: ExecutionContext): true {
    const request = context.switchToHttp().getRequest<AgentRequest>();
    request.policy = this.policies.of(context.getClass(), context.getHandler());
    const route = this.routes.find(request.socket.localPort ?? 0, pathOf(request));
    if (route === null) throw routeNotFound();
    if (!route.methods.includes(request.method)) throw methodNotAllowed(request.method, route.methods);
    this.checkCaller(request, route);
    if (request.method === 'POST') checkContentType(request);
    request.agentRoute = route;
    return true;
  }

  private checkCaller(request: AgentRequest, route: AgentRoute): void {
    if (route.kind === 'health') return;
    const { authorization } = request.headers;
    const auth =
      route.kind === 'invoke' ? { type: 'bearer' as const, token: this.invokeToken.value } : route.trigger.auth;
    // Who has to prove itself may know this process by any name; a web page that made up a name for it must not start runs.
    if (auth === null) return this.hostCheck.check(request);
    if (auth.type !== 'bearer') return;
    checkBearer(authorization, auth.token);
    request.isProven = true;
  }
}

/** A web page can send a body of no type to another origin without asking; one that is called JSON it cannot. */
function checkContentType({ headers }: AgentRequest): void {
  const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
  if (hasBody && headers['content-type'] === undefined) throw contentTypeMissing();
}
