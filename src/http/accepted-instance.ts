import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, ValidationTypes, type ValidationArguments } from 'class-validator';

type Values = Record<string, unknown>;
type ValidationMetadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** One rule of a field, as the library applies it. */
interface FieldRule {
  constraints: unknown[];
  isEach: boolean;
  validateIf: ((object: object, value: unknown) => boolean) | undefined;
  validate: (value: unknown, args: ValidationArguments) => unknown;
}

interface FieldRules {
  name: string;
  /** All must hold, or the field is not checked: `IsOptional`, `ValidateIf`. */
  conditions: readonly ((object: object, value: unknown) => unknown)[];
  rules: readonly FieldRule[];
}

interface CompiledClass {
  fields: readonly FieldRules[];
  names: ReadonlySet<string>;
  /** An instance made from no fields has what its constructor gives it, and nothing else. */
  isPlainWhenEmpty: boolean;
  /** Such an instance is accepted. */
  isOptional: boolean;
}

/** Kinds that are compiled; a class with any other is left to the library as a whole. */
const COMPILED: ReadonlySet<string> = new Set([
  ValidationTypes.CUSTOM_VALIDATION,
  ValidationTypes.CONDITIONAL_VALIDATION,
  ValidationTypes.IS_DEFINED,
  ValidationTypes.WHITELIST,
]);

const compiled = new Map<Type<unknown>, CompiledClass | null>();

/** A query without parameters, which is nearly every one: known by itself, so that nobody has to look for names in it. */
export const NO_VALUES: object = Object.freeze(Object.create(null) as object);

/**
 * The instance that Nest's ValidationPipe makes of flat values which its class accepts. The rules come from class-validator's own metadata
 * and its own functions decide; only looking them up for each request is left out.
 * Unknown fields are left out.
 * @returns null where the values are not flat, or are not accepted: the pipe itself then decides, and words what is wrong
 */
export function acceptedInstance(type: Type<object>, values: unknown): object | null {
  const rules = rulesOf(type);
  if (!rules) return null;
  if (values === NO_VALUES && rules.isOptional) return new type();
  if (!isFlat(values)) return null;
  const names = Object.keys(values);
  const instance: object = names.length === 0 && rules.isPlainWhenEmpty ? new type() : plainToInstance(type, values);
  if (instance.constructor !== type) return null;
  for (const name of Object.keys(instance)) {
    if (!rules.names.has(name)) delete (instance as Values)[name];
  }
  return rules.fields.every((field) => isAccepted(field, instance as Values)) ? instance : null;
}

function rulesOf(type: Type<object>): CompiledClass | null {
  let rules = compiled.get(type);
  if (rules === undefined) {
    rules = compile(type);
    compiled.set(type, rules);
  }
  return rules;
}

function compile(type: Type<object>): CompiledClass | null {
  const storage = getMetadataStorage();
  const all = storage.getTargetValidationMetadatas(type, '', false, false);
  if (all.length === 0 || all.some((metadata) => !COMPILED.has(metadata.type))) return null;
  const fields = Object.entries(storage.groupByPropertyName(all)).map(([name, ofField]) => fieldRulesOf(name, ofField));
  const names = new Set(fields.map(({ name }) => name));
  const empty = new type() as Values;
  const isPlainWhenEmpty = String(Object.keys(plainToInstance(type, {}))) === String(Object.keys(empty));
  const isKnown = Object.keys(empty).every((name) => names.has(name));
  const isOptional = isPlainWhenEmpty && isKnown && fields.every((field) => isAccepted(field, empty));
  return { fields, names, isPlainWhenEmpty, isOptional };
}

function fieldRulesOf(name: string, ofField: readonly ValidationMetadata[]): FieldRules {
  const conditions = ofField
    .filter(({ type }) => type === ValidationTypes.CONDITIONAL_VALIDATION)
    .map(({ constraints }) => constraints[0] as FieldRules['conditions'][number]);
  const rules = ofField
    .filter(({ type }) => type === ValidationTypes.CUSTOM_VALIDATION || type === ValidationTypes.IS_DEFINED)
    .flatMap((metadata) => fieldRuleOf(metadata));
  return { name, conditions, rules };
}

function fieldRuleOf({ constraintCls, constraints, each, validateIf }: ValidationMetadata): FieldRule[] {
  return getMetadataStorage()
    .getTargetValidatorConstraints(constraintCls)
    .map(({ instance }) => ({
      constraints: constraints as unknown[],
      isEach: each,
      validateIf,
      validate: (value, args) => instance.validate(value, args),
    }));
}

function isAccepted({ name, conditions, rules }: FieldRules, object: Values): boolean {
  const value = object[name];
  for (const condition of conditions) if (!condition(object, value)) return true;
  for (const { constraints, isEach, validateIf, validate } of rules) {
    if (validateIf && !validateIf(object, value)) continue;
    const args = { targetName: object.constructor.name, property: name, object, value, constraints };
    const isValid = (given: unknown) => validate(given, args) === true;
    // A rule that answers later is for the library to wait for.
    if (!(isEach && Array.isArray(value) ? value.every(isValid) : isValid(value))) return false;
  }
  return true;
}

/** Whether it holds plain values and lists of them alone, under names that no object has by itself. */
function isFlat(values: unknown): values is Values {
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return false;
  return Object.entries(values).every(
    ([name, value]) =>
      !(name in Object.prototype) &&
      name !== 'prototype' &&
      (Array.isArray(value) ? value.every(isPlain) : isPlain(value)),
  );
}

function isPlain(value: unknown): boolean {
  return value === null || (typeof value !== 'object' && typeof value !== 'function');
}
