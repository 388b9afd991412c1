import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { AgentConfig } from '../../../config/agent.config.js';
import type { ApiRequest } from '../../../http/api-request.js';
import { checkJsonContentType } from '../../../http/body/content-type.js';
import { HostCheck } from '../../../http/host-check.js';
import { pathOf } from '../../../http/request-target.js';
import { RoutePolicies } from '../../../http/route-policy.js';
import { AgentRoutes, type AgentRoute } from './agent-routes.service.js';
import { checkBearer, checkToken } from './caller-proof.js';
import { isForm } from './foreign-body.js';
import { InvokeToken } from '../heartbeat/own-agents.js';
import { contentTypeMissing, methodNotAllowed, routeNotFound } from './webhooks.errors.js';

export interface AgentRequest extends ApiRequest {
  /** The request's route; set by the guard. */
  agentRoute?: AgentRoute;
}

/** Finds a request's route and admits it by the route's rules, before its body is read. Signatures need the body and are checked later. */
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
    if (request.method === 'POST') checkContentType(request, route);
    request.agentRoute = route;
    return true;
  }

  private checkCaller(request: AgentRequest, route: AgentRoute): void {
    if (route.kind === 'health') return;
    const { authorization } = request.headers;
    if (route.kind === 'invoke') checkBearer(authorization, this.invokeToken.value);
    const auth = route.kind === 'invoke' ? null : route.trigger.auth;
    // Callers with proof may use any host name; a web page that invented one must not start runs.
    if (route.kind === 'webhook' && auth === null) return this.hostCheck.check(request);
    if (auth?.proof === 'signature') return;
    if (auth?.proof === 'bearer') checkBearer(authorization, auth.token);
    if (auth?.proof === 'token') checkToken(auth, request.get(auth.header));
    request.isProven = true;
  }
}

/** A web page can send forms and untyped bodies to another origin unasked, but not JSON. So forms require proof. */
function checkContentType({ headers }: AgentRequest, route: AgentRoute): void {
  const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
  const contentType = headers['content-type'];
  if (hasBody && contentType === undefined) throw contentTypeMissing();
  const mayBeForm = route.kind === 'webhook' && route.trigger.message !== null && route.trigger.auth !== null;
  if (!mayBeForm || !isForm(contentType)) checkJsonContentType(contentType);
}
