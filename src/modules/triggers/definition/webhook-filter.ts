import type { Fields } from './fields.js';
import { WrittenScalar } from './definition-text.js';
import { parsePlace, valueAt, type Delivery, type Place } from './template.js';

/** A place in a request and its accepted values; null among them stands for no value. */
export interface Condition {
  /** As in the file. */
  readonly name: string;
  readonly place: Place;
  readonly values: readonly (string | null)[];
}

/** Which requests start a run: all of `when` and none of `unless` must hold. */
export interface WebhookFilter {
  readonly when: readonly Condition[];
  readonly unless: readonly Condition[];
}

export function readFilter(fields: Fields): WebhookFilter {
  return { when: readConditions(fields, 'when'), unless: readConditions(fields, 'unless') };
}

/** The condition that stops the request; null if none does. */
export function refusingCondition({ when, unless }: WebhookFilter, delivery: Delivery): Condition | null {
  return (
    when.find((condition) => !holds(condition, delivery)) ??
    unless.find((condition) => holds(condition, delivery)) ??
    null
  );
}

/** Values are compared as text, because forms and headers have only text: `5` in the file matches 5 and "5". */
export function holds({ place, values }: Condition, delivery: Delivery): boolean {
  return values.includes(valueAt(place, delivery));
}

function readConditions(fields: Fields, key: string): Condition[] {
  if (!fields.hasKey(key)) return [];
  const section = fields.section(key);
  const entries = section?.entries() ?? [];
  if (section && entries.length === 0) fields.fault(key, 'must have at least one condition');
  return entries.flatMap(([name, value]) => {
    const place = parsePlace(name);
    if ('fault' in place) return section!.fault(name, place.fault) ?? [];
    const values = (Array.isArray(value) ? value : [value]).flatMap(textsOf);
    const isGood = values.length > 0 && !values.includes(undefined);
    if (!isGood) return section!.fault(name, 'must be a value, a list of values, or null for absent') ?? [];
    return [{ name, place, values: values as (string | null)[] }];
  });
}

/** Undefined if it is not a value. A number also means what is written: `2.0` is the text of a version. */
function textsOf(value: unknown): (string | null | undefined)[] {
  if (typeof value === 'string') return [value];
  const text = textOf(value);
  const isNumber = value instanceof WrittenScalar && typeof value.value === 'number';
  return isNumber && value.source !== text ? [text, value.source] : [text];
}

function textOf(value: unknown): string | null | undefined {
  if (!(value instanceof WrittenScalar)) return undefined;
  if (value.value === null) return value.source === '' ? undefined : null;
  if (typeof value.value === 'boolean') return String(value.value);
  // A number beyond JavaScript's precision keeps its source text.
  return typeof value.value === 'number' && Number.isSafeInteger(value.value) ? String(value.value) : value.source;
}
