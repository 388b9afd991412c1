import {
  Injectable,
  ValidationPipe,
  type ArgumentMetadata,
  type PipeTransform,
  type Type,
  type ValidationError,
} from '@nestjs/common';
import * as transformerPackage from 'class-transformer';
import * as validatorPackage from 'class-validator';
import { withoutEmpty } from './empty-query.js';
import { bodyInstance, unknownMembers } from './body-instance.js';
import { cutText } from '../common/cut-text.js';
import { DomainError, MAX_FAULTS, invalidField, type FieldFault } from '../common/domain-error.js';

/** Nesting limit of validated bodies, because the libraries recurse. */
const MAX_DEPTH = 32;

/** Most characters of an unknown field's path in the response. */
const MAX_PATH = 200;

const RULES = { whitelist: true, stopAtFirstError: true, forbidUnknownValues: false };

/**
 * Checks bodies and queries against their DTO classes. Unknown fields of a body are the caller's mistake and refused; the query guard has
 * already refused unknown parameters.
 */
@Injectable()
export class RequestValidationPipe implements PipeTransform {
  private readonly queries = new ValidationPipe({
    ...RULES,
    transform: true,
    exceptionFactory: invalidRequest,
    // Passed in, not loaded at run time: the bundled program would find a module without its named exports.
    validatorPackage,
    transformerPackage,
  });

  transform(value: unknown, metadata: ArgumentMetadata): unknown {
    if (metadata.type === 'query') refuseNul(value);
    // Unchecked arguments must not cost a promise: the framework's `Promise.all` also accepts plain values.
    if (metadata.type === 'custom' || !isClass(metadata.metatype)) return value;
    if (metadata.type !== 'body') return this.queries.transform(withoutEmpty(metadata.metatype, value), metadata);
    const body = value ?? {};
    if (value === null || !isPlainObject(body)) throw badBody('must be a JSON object');
    if (!isWithinDepth(body)) throw badBody(`must not be nested deeper than ${MAX_DEPTH} levels`);
    refuseUnknown(metadata.metatype, body);
    return checkedBody(metadata.metatype, body);
  }
}

/** Whether there is a class to check against: TypeScript emits `String` and `Object` for strings and unknown types. */
function isClass(type: ArgumentMetadata['metatype']): type is Type<object> {
  return type !== undefined && type !== String && type !== Object;
}

async function checkedBody(type: Type<object>, body: object): Promise<object> {
  const instance = bodyInstance(type, body);
  const errors = await validatorPackage.validate(instance, { ...RULES, validationError: { target: false } });
  if (errors.length > 0) throw invalidRequest(errors);
  return instance;
}

/** Runs before the body becomes instances: there may be very many unknown fields. */
function refuseUnknown(type: Type<object>, body: object): void {
  const errors = unknownMembers(type, body, MAX_FAULTS).map((path) => {
    return { path: cutText(path, MAX_PATH), detail: 'is not a known field' };
  });
  if (errors.length > 0) throw new DomainError('invalid', 'invalid_request', messageOf(errors), { errors });
}

function invalidRequest(errors: ValidationError[]): DomainError {
  const faults = errors.flatMap((error) => faultsOf(error, '')).slice(0, MAX_FAULTS);
  return new DomainError('invalid', 'invalid_request', messageOf(faults), { errors: faults });
}

function faultsOf(error: ValidationError, parent: string): FieldFault[] {
  const isIndex = /^\d+$/.test(error.property);
  const path =
    parent === '' ? error.property : isIndex ? `${parent}[${error.property}]` : `${parent}.${error.property}`;
  const own = Object.values(error.constraints ?? {}).map((message) => ({
    path,
    detail: withoutName(message, error.property),
  }));
  return [...own, ...(error.children ?? []).flatMap((child) => faultsOf(child, path))];
}

/** class-validator's messages begin with the property's name, which `path` already contains. */
function withoutName(message: string, property: string): string {
  return message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Nobody searches for U+0000, and PostgreSQL rejects it. */
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
