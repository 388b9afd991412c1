import { closestName } from '../../../common/likely-name.js';
import type { DefinitionFault } from './definition.js';
import { TaggedScalar, WrittenScalar } from './definition-text.js';
import type { Environment } from '../../../config/env-reader.js';

/** A map of the file, with keys in the file's order. */
export type FileMap = ReadonlyMap<unknown, unknown>;

export interface NumberRule {
  readonly min: number;
  readonly max: number;
  /** Whether it may have a fraction; then `min` itself is excluded. */
  readonly isFraction?: boolean;
}

const PLAIN_KEY = /^[\w-]+$/;

/**
 * Reads values of one map by key and notes every fault with its path. An absent or null key counts as not given; a key without a value only
 * if a map or list was expected.
 */
export class Fields {
  private readonly known = new Set<string>();
  private readonly parts: Fields[] = [];

  constructor(
    private readonly map: FileMap,
    readonly path: string,
    private readonly faults: DefinitionFault[],
  ) {}

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  /** The value as YAML reads it; undefined if not given. */
  get(key: string): unknown {
    this.known.add(key);
    const value = this.map.get(key);
    return (value instanceof WrittenScalar ? value.value : value) ?? undefined;
  }

  /** Whether the key exists, even without a value. */
  hasKey(key: string): boolean {
    return this.map.has(key);
  }

  /** Non-empty text. Null if not given; null with a fault for anything else. */
  text(key: string): string | null {
    if (this.isBlank(key)) return this.faultOfBlank(key);
    const value = this.get(key);
    if (value === undefined) return null;
    if (typeof value !== 'string') return this.fault(key, noText(value));
    return value.trim() === '' ? this.fault(key, 'must not be empty') : value;
  }

  number(key: string, fallback: number, rule: NumberRule): number;
  number(key: string, fallback: null, rule: NumberRule): number | null;
  number(key: string, fallback: number | null, { min, max, isFraction = false }: NumberRule): number | null {
    if (this.isBlank(key)) return this.faultOfBlank(key);
    const value = this.get(key);
    if (value === undefined) return fallback;
    if (typeof value !== 'number') return this.fault(key, 'must be a number, without quotes');
    if (isFraction) return value > min && value <= max ? value : this.fault(key, `must be above ${min}, up to ${max}`);
    const isGood = Number.isInteger(value) && value >= min && value <= max;
    return isGood ? value : this.fault(key, `must be a whole number from ${min} to ${max}`);
  }

  choice<Value extends string>(key: string, fallback: Value, allowed: readonly Value[]): Value {
    if (this.isBlank(key)) this.faultOfBlank(key);
    const value = this.get(key);
    if (value === undefined) return fallback;
    const found = allowed.find((candidate) => candidate === value);
    if (found === undefined) this.fault(key, `must be one of ${allowed.join(', ')}`);
    return found ?? fallback;
  }

  /** The map under a key; null with a fault for anything else. */
  section(key: string): Fields | null {
    const value = this.get(key);
    return value instanceof Map ? this.part(value, this.pathOf(key)) : this.fault(key, 'must be a map');
  }

  /** The map of one of the `entries`. */
  part(map: FileMap, path: string): Fields {
    const part = new Fields(map, path, this.faults);
    this.parts.push(part);
    return part;
  }

  /**
   * Unused keys that resemble a used one, here and in all parts: probably misspelt. Other unknown keys may belong to another tool. Call
   * this after everything was read.
   */
  likelyTypos(): DefinitionFault[] {
    const unknown = [...this.map.keys()].map(String).filter((key) => !this.known.has(key));
    const free = [...this.known].filter((name) => !this.map.has(name));
    const own = unknown.flatMap((key) => {
      const meant = closestName(key, free);
      return meant === null ? [] : [{ path: this.pathOf(key), detail: `is not known; did you mean ${meant}?` }];
    });
    return [...own, ...this.parts.flatMap((part) => part.likelyTypos())];
  }

  /** All entries of a map whose keys are names; numbers and the like count as written. */
  entries(): [name: string, value: unknown][] {
    const entries: [string, unknown][] = [];
    for (const [key, value] of this.map) {
      const isName = typeof key === 'string' || key instanceof WrittenScalar;
      if (isName) entries.push([String(key), value]);
      else this.faultAt(this.path, 'has a key that is no name');
      this.known.add(String(key));
    }
    return entries;
  }

  /** Whether the key exists without a value: its author meant some value. */
  isBlank(key: string): boolean {
    const value = this.map.get(key);
    return value instanceof WrittenScalar && value.value === null && value.source === '';
  }

  private faultOfBlank(key: string): null {
    this.known.add(key);
    return this.fault(key, 'has no value; leave the key out if you mean none');
  }

  fault(key: string, detail: string): null {
    return this.faultAt(this.pathOf(key), detail);
  }

  faultAt(path: string, detail: string): null {
    this.faults.push({ path, detail });
    return null;
  }

  pathOf(key: string): string {
    const step = PLAIN_KEY.test(key) ? key : `[${JSON.stringify(key)}]`;
    return this.path === '' || step.startsWith('[') ? `${this.path}${step}` : `${this.path}.${step}`;
  }

  /** The same for an entry of a list under `key`. */
  entry(key: string, index: number, value: unknown): Fields | null {
    const path = `${this.pathOf(key)}[${index}]`;
    return value instanceof Map ? this.part(value, path) : this.faultAt(path, 'must be a map');
  }
}

export function noText(value: unknown): string {
  if (value instanceof TaggedScalar) return `has the tag ${value.tag}, which means nothing here`;
  return 'must be text; put it in quotes';
}

const REFERENCE = /\$(\$\{|\{([^{}]*)\}|\{)/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Replaces `${NAME}` by the environment's values; `$${` stands for `${`. Returns the text and separately the faults: unset variables, or
 * invalid names.
 */
export function replaceVariables(text: string, variables: Environment): { text: string; faults: string[] } {
  const faults: string[] = [];
  const replaced = text.replace(REFERENCE, (whole, _rest: string, name: string | undefined) => {
    if (whole === '$${') return '${';
    if (name === undefined || !NAME.test(name)) {
      faults.push('has a ${ without a variable name and } after it; write $${ for a literal ${');
      return '';
    }
    const value = variables[name];
    if (value === undefined) faults.push(`needs the environment variable ${name}, which is not set`);
    return value ?? '';
  });
  return { text: replaced, faults };
}
