import type { ExecutionContext, Type } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { ApiRequest, ApiResponse } from './api-request.js';
import { BearerGuard } from './bearer.guard.js';
import { BodyGuard } from './body.guard.js';
import { ProblemFilter } from './problem.filter.js';
import { RoutePolicies, type RoutePolicy } from './route-policy.js';

/** Calls a controller's method once the caller is admitted and the body is read. */
export type FastHandler = (request: ApiRequest, response: ApiResponse) => Promise<void>;

/** A route that agents call at every step. */
export interface FastRoute {
  method: 'GET' | 'POST';
  /** The pattern, as in Nest. */
  path: string;
  controller: Type;
  /** The controller's method, whose decorators state the rules. */
  handler: ReturnType<ExecutionContext['getHandler']>;
  /**
   * Null for any address that is not exactly the route's or has anything unusual, such as an encoded character: Nest serves those.
   * @param request gets the path's parameters
   */
  match(url: string, request: ApiRequest): FastHandler | null;
}

/**
 * A shortcut for the routes that agents call at every step: reports, and the latest checkpoint. Express's router and Nest's chain of
 * guards, pipes and interceptors take as long as these routes' handlers. So the adapter calls what that chain would call, in the same
 * order: the entry has already run; then the caller is admitted, the body is read, and the controller responds. Anything unusual goes
 * through Nest. A test compares the responses of both paths.
 */
export class FastLane {
  private readonly bearer: BearerGuard;
  private readonly bodies: BodyGuard;
  private readonly failures: ProblemFilter;
  private readonly routes: readonly (FastRoute & { policy: RoutePolicy })[];

  constructor(app: NestExpressApplication, routes: readonly FastRoute[]) {
    this.bearer = app.get(BearerGuard);
    this.bodies = app.get(BodyGuard);
    this.failures = app.get(ProblemFilter);
    const policies = app.get(RoutePolicies);
    this.routes = routes.map((route) => ({ ...route, policy: policies.of(route.controller, route.handler) }));
  }

  /** Serves the request, or leaves it to Nest. */
  take(request: ApiRequest, response: ApiResponse): boolean {
    for (const route of this.routes) {
      if (route.method !== request.method) continue;
      const handler = route.match(request.url, request);
      if (handler === null) continue;
      request.policy = route.policy;
      request.route = route;
      void this.serve(handler, request, response);
      return true;
    }
    return false;
  }

  private async serve(handler: FastHandler, request: ApiRequest, response: ApiResponse): Promise<void> {
    try {
      const admitted = this.bearer.admit(request, response, request.policy!);
      if (admitted !== true) await admitted;
      const read = this.bodies.read(request, response, request.policy!);
      if (read !== true) await read;
      await handler(request, response);
    } catch (error) {
      this.failures.respond(error, request, response);
    }
  }
}
