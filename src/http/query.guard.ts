import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { DomainError, MAX_FAULTS, type FieldFault } from '../common/domain-error.js';
import { closestName } from '../common/likely-name.js';
import type { ApiRequest } from './api-request.js';
import { RoutePolicies } from './route-policy.js';

/** Refuses unknown query parameters: with a mistyped filter a route would return everything. */
@Injectable()
export class QueryGuard implements CanActivate {
  constructor(private readonly policies: RoutePolicies) {}

  /** @throws DomainError `invalid` that names each of them and the parameter that was probably meant */
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<ApiRequest>();
    if (!request.url.includes('?')) return true;
    const { queryNames } = request.policy ?? this.policies.of(context.getClass(), context.getHandler());
    if (queryNames === null) return true;
    const unknown = Object.keys(request.query).filter((name) => !queryNames.has(name));
    if (unknown.length > 0) throw unknownParameters(unknown, queryNames);
    return true;
  }
}

function unknownParameters(unknown: readonly string[], known: ReadonlySet<string>): DomainError {
  const errors = unknown.slice(0, MAX_FAULTS).map((path): FieldFault => ({ path, detail: detailOf(path, known) }));
  const message = errors.map(({ path, detail }) => `${path}: ${detail}`).join('; ');
  return new DomainError('invalid', 'unknown_parameter', message, { errors });
}

function detailOf(name: string, known: ReadonlySet<string>): string {
  if (known.size === 0) return 'is not a known parameter; this route has none';
  const meant = closestName(name, known);
  const hint = meant === null ? `known are ${[...known].join(', ')}` : `did you mean ${meant}?`;
  return `is not a known parameter; ${hint}`;
}
