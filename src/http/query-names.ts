import type { ExecutionContext, Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { getMetadataStorage } from 'class-validator';

/** What `@Query()` notes for an argument of a handler. */
interface RouteArgument {
  index: number;
  /** The single parameter that the argument names; absent if the argument is the whole query. */
  data?: unknown;
}

/**
 * The query parameters that a handler reads, by what it declares: the members of the DTO classes of its `@Query()` arguments. Null where
 * one of them is no class, so that anything may come.
 */
export function queryNamesOf(
  controller: Type,
  handler: ReturnType<ExecutionContext['getHandler']>,
): ReadonlySet<string> | null {
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
