import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, ValidationTypes } from 'class-validator';

type Values = Record<string, unknown>;

interface BodyClass {
  names: ReadonlySet<string>;
  /** The classes of members that hold objects or lists of objects. */
  nested: ReadonlyMap<string, Type<object>>;
}

const known = new Map<Type<object>, BodyClass>();

/**
 * Paths of members unknown to the body's class or a member's class; at most `max`.
 * @param body a JSON object
 */
export function unknownMembers(type: Type<object>, body: object, max: number): string[] {
  const paths: string[] = [];
  collectUnknown(type, body as Values, '', { paths, max });
  return paths;
}

/**
 * The body as an instance of its class, unchecked. class-transformer would do the same, but it compares each name of an object with all
 * others, even inside values that no class describes; those stay unchanged here.
 */
export function bodyInstance(type: Type<object>, body: object): object {
  const { nested } = bodyClassOf(type);
  const instance = new type() as Values;
  for (const [name, value] of Object.entries(body)) {
    const inner = nested.get(name);
    instance[name] = inner ? nestedInstance(inner, value) : value;
  }
  return instance;
}

function nestedInstance(type: Type<object>, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => (isObject(item) ? bodyInstance(type, item) : (item as unknown)));
  return isObject(value) ? bodyInstance(type, value) : value;
}

function collectUnknown(
  type: Type<object>,
  body: Values,
  parent: string,
  found: { paths: string[]; max: number },
): void {
  const { names, nested } = bodyClassOf(type);
  for (const name in body) {
    if (found.paths.length >= found.max) return;
    if (!names.has(name)) found.paths.push(parent + name);
  }
  for (const [name, inner] of nested) {
    const value = body[name];
    if (isObject(value)) collectUnknown(inner, value, `${parent}${name}.`, found);
    if (!Array.isArray(value)) continue;
    for (const [at, item] of value.entries())
      if (isObject(item)) collectUnknown(inner, item, `${parent}${name}[${at}].`, found);
  }
}

function bodyClassOf(type: Type<object>): BodyClass {
  let found = known.get(type);
  if (found === undefined) known.set(type, (found = describe(type)));
  return found;
}

function describe(type: Type<object>): BodyClass {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const nested = rules.filter((rule) => rule.type === ValidationTypes.NESTED_VALIDATION);
  return {
    names: new Set(rules.map(({ propertyName }) => propertyName)),
    nested: new Map(nested.map(({ propertyName }) => [propertyName, classOfMember(type, propertyName)])),
  };
}

/** The class from `@Type`: class-transformer reveals it by converting a sample. */
function classOfMember(type: Type<object>, name: string): Type<object> {
  const sample = plainToInstance(type, { [name]: {} }) as Record<string, object>;
  return sample[name]!.constructor as Type<object>;
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
