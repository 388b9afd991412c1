import { Injectable, type ExecutionContext, type Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  ALLOWED_SCOPES,
  BOUND_READERS,
  IS_PUBLIC,
  IS_QUIET,
  TAKES_ANY_QUERY,
  type BoundSight,
} from './access.decorators.js';
import type { Scope } from '../common/principal.js';
import { queryNamesOf } from './query-names.js';
import { BODY_GATE, type BodyGate } from './body/body-gate.js';
import { RAW_BODY, type RawBodyOptions } from './body/raw-body.options.js';

/** The rules of one route, as its decorators state them. */
export interface RoutePolicy {
  readonly isPublic: boolean;
  /** Scopes besides `admin` that may call it. */
  readonly scopes: readonly Scope[];
  /** What readers get whose token is bound to agents; null for nothing. */
  readonly boundReaders: BoundSight | null;
  /** Whether successes are logged at debug only. */
  readonly isQuiet: boolean;
  /** How the raw body is read; null for JSON. */
  readonly rawBody: RawBodyOptions | null;
  /** What decides before the body is read; null for nothing. */
  readonly bodyGate: Type<BodyGate> | null;
  /** The query parameters that it reads; null if it accepts any. */
  readonly queryNames: ReadonlySet<string> | null;
}

type Handler = ReturnType<ExecutionContext['getHandler']>;

/** Looks the decorators of a route up once, because reflection would cost more than the rest of the guard. */
@Injectable()
export class RoutePolicies {
  private readonly known = new WeakMap<Type, WeakMap<Handler, RoutePolicy>>();

  constructor(private readonly reflector: Reflector) {}

  of(controller: Type, handler: Handler): RoutePolicy {
    let ofController = this.known.get(controller);
    if (ofController === undefined) this.known.set(controller, (ofController = new WeakMap()));
    let policy = ofController.get(handler);
    if (policy === undefined) ofController.set(handler, (policy = this.reflect(controller, handler)));
    return policy;
  }

  private reflect(controller: Type, handler: Handler): RoutePolicy {
    const targets = [handler, controller];
    return {
      isPublic: this.reflector.getAllAndOverride<boolean | undefined>(IS_PUBLIC, targets) ?? false,
      scopes: this.reflector.getAllAndOverride<Scope[] | undefined>(ALLOWED_SCOPES, targets) ?? [],
      boundReaders: this.reflector.getAllAndOverride<BoundSight | undefined>(BOUND_READERS, targets) ?? null,
      isQuiet: this.reflector.getAllAndOverride<boolean | undefined>(IS_QUIET, targets) ?? false,
      rawBody: this.reflector.getAllAndOverride<RawBodyOptions | undefined>(RAW_BODY, targets) ?? null,
      bodyGate: this.reflector.getAllAndOverride<Type<BodyGate> | undefined>(BODY_GATE, targets) ?? null,
      queryNames: this.reflector.getAllAndOverride<boolean | undefined>(TAKES_ANY_QUERY, targets)
        ? null
        : queryNamesOf(controller, handler),
    };
  }
}
