import { SetMetadata, applyDecorators, type CustomDecorator } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { Scope } from '../common/principal.js';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { ApiRequest } from './api-request.js';
import type { Principal } from '../common/principal.js';

export const IS_PUBLIC = 'waystation:public';
export const ALLOWED_SCOPES = 'waystation:scopes';
export const BOUND_READERS = 'waystation:bound-readers';
export const IS_QUIET = 'waystation:quiet';
export const TAKES_ANY_QUERY = 'waystation:any-query';
/** Marks public operations in the OpenAPI draft; `openapi.ts` turns it into an empty security requirement. */
export const PUBLIC_EXTENSION = 'x-waystation-public';

/** Names the scopes of an operation in the OpenAPI draft; `openapi.ts` turns it into the first sentence of its description. */
export const SCOPES_EXTENSION = 'x-waystation-scopes';

/** Makes the route public. A test compares all such routes with a written list. */
export function Public(): ClassDecorator & MethodDecorator {
  return applyDecorators(SetMetadata(IS_PUBLIC, true), ApiExtension(PUBLIC_EXTENSION, true));
}

/** The scopes that may call the route, besides `admin`; without it only `admin`. */
export function Scopes(...scopes: Scope[]): MethodDecorator {
  return applyDecorators(SetMetadata(ALLOWED_SCOPES, scopes), ApiExtension(SCOPES_EXTENSION, scopes));
}

/**
 * What a `reader` token that is bound to agents sees through a route. `thread`: the whole thread in the path if only its agents took part,
 * otherwise 404. `own`: the handler leaves out other agents' data.
 */
export type BoundVisibility = 'thread' | 'own';

/** Opens the route to bound readers; without it they are refused. */
export function BoundReadersSee(visibility: BoundVisibility): CustomDecorator {
  return SetMetadata(BOUND_READERS, visibility);
}

/** Logs the route's frequent successes at debug instead of info, as always for `GET` and `HEAD`. */
export function Quiet(): CustomDecorator {
  return SetMetadata(IS_QUIET, true);
}

/** Accepts any query, for pages that read their own. */
export function AnyQuery(): CustomDecorator {
  return SetMetadata(TAKES_ANY_QUERY, true);
}

/** The authenticated `Principal`. Only for routes that are not public. */
export const Caller = createParamDecorator((_data: unknown, context: ExecutionContext): Principal => {
  const { principal } = context.switchToHttp().getRequest<ApiRequest>();
  if (principal === undefined) throw new Error('@Caller() stands on a public route');
  return principal;
});
