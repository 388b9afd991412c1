import {
  Injectable,
  ValidationPipe,
  type ArgumentMetadata,
  type PipeTransform,
  type ValidationError,
} from '@nestjs/common';
import * as transformerPackage from 'class-transformer';
import * as validatorPackage from 'class-validator';
import { acceptedInstance, NO_VALUES } from './accepted-instance.js';
import { DomainError, invalidField, type FieldFault } from '../common/domain-error.js';

/** Nesting limit of a body that is checked against a class, because the libraries recurse. */
const MAX_DEPTH = 32;

const shared = {
  transform: true,
  whitelist: true,
  stopAtFirstError: true,
  exceptionFactory: invalidRequest,
  // Passed in, not loaded at run time: the bundled program would find a module without its named exports.
  validatorPackage,
  transformerPackage,
};

/**
 * Checks bodies and queries against their DTO classes. Unknown fields of a body are a mistake of the caller and refused; unknown query
 * parameters were refused before, where the route takes none but its own.
 */
@Injectable()
export class RequestValidationPipe implements PipeTransform {
  private readonly strict = new ValidationPipe({ ...shared, forbidNonWhitelisted: true });
  private readonly lenient = new ValidationPipe(shared);

  transform(value: unknown, metadata: ArgumentMetadata): unknown {
    if (metadata.type === 'query' && value !== NO_VALUES) refuseNul(value);
    // Arguments without checks must not cost a promise: the framework's `Promise.all` also accepts plain values.
    if (metadata.type === 'custom' || metadata.metatype === undefined || metadata.metatype === String) return value;
    if (metadata.type !== 'body')
      return acceptedInstance(metadata.metatype, value, false) ?? this.lenient.transform(value, metadata);
    if (value !== undefined && !isPlainObject(value)) throw badBody('must be a JSON object');
    if (!isWithinDepth(value)) throw badBody(`must not be nested deeper than ${MAX_DEPTH} levels`);
    refuseInherited(value, metadata.metatype);
    return acceptedInstance(metadata.metatype, value, true) ?? this.strict.transform(value, metadata);
  }
}

function invalidRequest(errors: ValidationError[]): DomainError {
  const faults = errors.flatMap((error) => faultsOf(error, ''));
  return new DomainError('invalid', 'invalid_request', messageOf(faults), { errors: faults });
}

function faultsOf(error: ValidationError, parent: string): FieldFault[] {
  const isIndex = /^\d+$/.test(error.property);
  const path =
    parent === '' ? error.property : isIndex ? `${parent}[${error.property}]` : `${parent}.${error.property}`;
  const own = Object.entries(error.constraints ?? {}).map(([rule, message]) => ({
    path,
    detail: rule === 'whitelistValidation' ? 'is not a known field' : withoutName(message, error.property),
  }));
  return [...own, ...(error.children ?? []).flatMap((child) => faultsOf(child, path))];
}

/** Messages of class-validator begin with the property's name, which `path` already contains. */
function withoutName(message: string, property: string): string {
  return message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Nobody searches for U+0000, and PostgreSQL accepts no value with it. */
function refuseNul(query: unknown): void {
  for (const [name, value] of Object.entries(query ?? {})) {
    if (hasNul(name) || hasNul(value)) throw invalidField(name, 'must not hold U+0000');
  }
}

/** Whether it is, or contains, a text with U+0000. */
function hasNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  return typeof value === 'object' && value !== null && Object.entries(value).flat().some(hasNul);
}

/** Fields with names that every object has (`toString`, `__proto__`): the library silently ignores them. */
function refuseInherited(body: unknown, { prototype }: NonNullable<ArgumentMetadata['metatype']>): void {
  const inherited = Object.keys(body ?? {}).filter((name) => name in (prototype as object));
  const errors = inherited.map((path) => ({ path, detail: 'is not a known field' }));
  if (errors.length > 0) throw new DomainError('invalid', 'invalid_request', messageOf(errors), { errors });
}

function messageOf(faults: readonly FieldFault[]): string {
  return faults.map(({ path, detail }) => `${path}: ${detail}`).join('; ');
}

function isWithinDepth(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return false;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return true;
}

function badBody(detail: string): DomainError {
  return new DomainError('invalid', 'invalid_request', `body: ${detail}`, { errors: [{ path: 'body', detail }] });
}
