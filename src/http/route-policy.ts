import { Injectable, type ExecutionContext, type Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { Reflector } from '@nestjs/core';
import { getMetadataStorage } from 'class-validator';
import {
  ALLOWED_SCOPES,
  BOUND_READERS,
  IS_PUBLIC,
  IS_QUIET,
  TAKES_ANY_QUERY,
  type BoundVisibility,
} from './access.decorators.js';
import type { Scope } from '../common/principal.js';
import { BODY_GATE, RAW_BODY, type BodyGate, type RawBodyOptions } from './body.decorators.js';

/** The rules of one route, from its decorators. */
export interface RoutePolicy {
  readonly isPublic: boolean;
  /** Scopes besides `admin` that may call it. */
  readonly scopes: readonly Scope[];
  /** What bound readers get; null for nothing. */
  readonly boundReaders: BoundVisibility | null;
  /** Whether successes are logged at debug only. */
  readonly isQuiet: boolean;
  /** How the raw body is read; null for JSON. */
  readonly rawBody: RawBodyOptions | null;
  /** The gate that decides before the body is read; null for none. */
  readonly bodyGate: Type<BodyGate> | null;
  /** The query parameters it reads; null for any. */
  readonly queryNames: ReadonlySet<string> | null;
}

type Handler = ReturnType<ExecutionContext['getHandler']>;

/** Reads a route's decorators once, because reflection would cost more than the rest of the guard. */
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
      boundReaders: this.reflector.getAllAndOverride<BoundVisibility | undefined>(BOUND_READERS, targets) ?? null,
      isQuiet: this.reflector.getAllAndOverride<boolean | undefined>(IS_QUIET, targets) ?? false,
      rawBody: this.reflector.getAllAndOverride<RawBodyOptions | undefined>(RAW_BODY, targets) ?? null,
      bodyGate: this.reflector.getAllAndOverride<Type<BodyGate> | undefined>(BODY_GATE, targets) ?? null,
      queryNames: this.reflector.getAllAndOverride<boolean | undefined>(TAKES_ANY_QUERY, targets)
        ? null
        : queryNamesOf(controller, handler),
    };
  }
}

/** What `@Query()` records for a handler's argument. */
interface RouteArgument {
  index: number;
  /** The single parameter that the argument names; absent for the whole query. */
  data?: unknown;
}

/**
 * The query parameters that a handler declares: the members of the DTO classes of its `@Query()` arguments. Null for any, if one of them is
 * not a class.
 */
function queryNamesOf(controller: Type, handler: Handler): ReadonlySet<string> | null {
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler.name) ?? {}) as Record<string, unknown>;
  const types = (Reflect.getMetadata('design:paramtypes', controller.prototype as object, handler.name) ??
    []) as Type[];
  const names = new Set<string>();
  for (const [key, argument] of Object.entries(args)) {
    if (!key.startsWith(`${RouteParamtypes.QUERY}:`)) continue;
    const { index, data } = argument as RouteArgument;
    const dto = types[index];
    if (typeof data === 'string') names.add(data);
    else if (dto === undefined || (dto as unknown) === Object) return null;
    else for (const name of membersOf(dto)) names.add(name);
  }
  return names;
}

function membersOf(dto: Type): string[] {
  return getMetadataStorage()
    .getTargetValidationMetadatas(dto, '', false, false)
    .map(({ propertyName }) => propertyName);
}
