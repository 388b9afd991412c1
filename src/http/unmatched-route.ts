import type { PipeTransform } from '@nestjs/common';
import type { Application, NextFunction, Request, Response } from 'express';
import { DomainError } from '../common/domain-error.js';
import { INVALID_PATH } from './problem.js';

/** The part of a router layer that we use; Express has no type for it. */
interface RouteLayer {
  match(path: string): boolean;
  route?: { path: unknown; methods: Record<string, boolean | undefined> };
}

export function routeNotFound(): DomainError {
  return new DomainError('not_found', 'route_not_found', 'There is nothing under this path.');
}

/** @param allow the methods that the path supports */
export function methodNotAllowed(method: string, allow: readonly string[]): DomainError {
  const message = `${method} is not possible here, only ${allow.join(', ')}.`;
  return new DomainError('method_not_allowed', 'method_not_allowed', message, { extensions: { allow } });
}

/** The last handler: distinguishes a wrong method on a known path from an unknown path. */
export function unmatchedRoute(instance: Application) {
  return (request: Request, response: Response, next: NextFunction): void => {
    if (!isDecodable(request.path)) return next(new DomainError('invalid', 'invalid_path', INVALID_PATH));
    const allow = allowedMethods(instance, request.path);
    if (allow.length === 0) return next(routeNotFound());
    if (request.method === 'OPTIONS') {
      response.set('Allow', allow.join(', ')).status(204).end();
      return;
    }
    next(methodNotAllowed(request.method, allow));
  };
}

function allowedMethods(instance: Application, path: string): string[] {
  const layers = instance.router.stack as unknown as RouteLayer[];
  const methods = new Set<string>();
  const matching = layers.filter((layer) => layer.route !== undefined && layer.match(path));
  // If a fixed path competes with a parameter, the fixed path wins.
  const fewest = Math.min(...matching.map(parametersOf));
  for (const layer of matching) {
    if (layer.route === undefined || parametersOf(layer) > fewest) continue;
    for (const [method, isAllowed] of Object.entries(layer.route.methods))
      if (isAllowed) methods.add(method.toUpperCase());
  }
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}

function parametersOf({ route }: RouteLayer): number {
  return String(route?.path).split(/[:*]/).length - 1;
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** If another route has a fixed text in the parameter's place, that text is not an id under any method. */
export class ReservedIdPipe implements PipeTransform<string, string> {
  /** @param allow the methods of the fixed route */
  constructor(
    private readonly reserved: string,
    private readonly allow: readonly string[],
  ) {}

  /** @throws DomainError `method_not_allowed` for the reserved text */
  transform(id: string): string {
    if (id === this.reserved) throw methodNotAllowed('This', this.allow);
    return id;
  }
}
