import {
  LineCounter,
  parseDocument,
  type YAMLError,
  isScalar,
  visit,
  type Document,
  type ScalarTag,
  type Tags,
} from 'yaml';
import type { DefinitionFault } from './definition.js';
import type { FileMap } from './fields.js';

/** Bounds what references to anchors unfold to, so that a small file cannot become a huge one: a few hundred agents may share their settings. */
const MAX_ALIASES = 10_000;

/**
 * Reads YAML, of which JSON is a part, with merge keys (`<<`). Maps keep the order of the file, because the first agent is the entry agent.
 * Scalars that YAML takes for something else than text are `WrittenScalar`. Returns the map at the top, or the faults.
 */
export function parseDefinitionText(text: string): { map: FileMap } | { faults: DefinitionFault[] } {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, {
    ...{ lineCounter, prettyErrors: false, version: '1.2', merge: true },
    ...{ customTags: writtenTags, uniqueKeys: areSameKeys },
  });
  if (document.errors.length > 0) return { faults: syntaxFaults(document.errors, lineCounter) };
  markTagged(document);
  try {
    const value: unknown = document.toJS({ mapAsMap: true, maxAliasCount: MAX_ALIASES });
    if (value instanceof Map) return { map: value };
  } catch (error) {
    return { faults: [{ path: '', detail: withHint(error instanceof Error ? error.message : String(error)) }] };
  }
  return { faults: [{ path: '', detail: 'the file must hold a map with `agents` and `triggers`' }] };
}

/** The first of each line: the others only follow from it. */
function syntaxFaults(errors: readonly YAMLError[], lineCounter: LineCounter): DefinitionFault[] {
  const faults = new Map<number, DefinitionFault>();
  for (const { pos, message } of errors) {
    const { line, col } = lineCounter.linePos(pos[0]);
    if (!faults.has(line)) faults.set(line, { path: `line ${line}, column ${col}`, detail: withHint(message) });
  }
  return [...faults.values()];
}

/** A cron expression without quotes looks like a reference to an anchor. */
function withHint(message: string): string {
  if (message.startsWith('Merge sources'))
    return 'what stands under << must be a map or a list of maps, and *NAME needs an &NAME before it';
  return /alias/i.test(message) ? `${message}; text that begins with * must be in quotes` : message;
}

/** A number, truth value, date or null of the file that is not in quotes: what YAML takes it for, and how it was written. */
export class WrittenScalar {
  constructor(
    readonly value: unknown,
    readonly source: string,
  ) {}

  /** Two keys are the same that are written the same. */
  toString(): string {
    return this.source;
  }
}

/** A scalar with a tag that means nothing here, such as `!secret`: its text alone would not be what its author meant. */
export class TaggedScalar {
  constructor(readonly tag: string) {}
}

type RestOfResolve = Parameters<ScalarTag['resolve']> extends [string, ...infer Rest] ? Rest : never;

const STANDARD = 'tag:yaml.org,2002:';
const NO_TEXT = ['int', 'float', 'bool', 'null', 'timestamp'].map((name) => STANDARD + name);

/** The tags of a schema, with scalars that know how they were written. One that comes twice is the same object, as a key of merged maps must be. */
export function writtenTags(tags: Tags): Tags {
  const known = new Map<string, WrittenScalar>();
  const written = (tag: string, value: unknown, source: string): WrittenScalar => {
    const key = `${tag} ${source}`;
    const scalar = known.get(key) ?? new WrittenScalar(value, source);
    known.set(key, scalar);
    return scalar;
  };
  return tags.map((tag) => {
    if (typeof tag === 'string' || !NO_TEXT.includes(tag.tag) || tag.collection !== undefined) return tag;
    const scalarTag = tag;
    return {
      ...scalarTag,
      resolve(source: string, ...more: RestOfResolve) {
        const resolved = scalarTag.resolve(source, ...more);
        return written(tag.tag, isScalar(resolved) ? resolved.value : resolved, source);
      },
    };
  });
}

/** Puts `TaggedScalar` in place of all scalars whose tags are none of YAML's own. */
export function markTagged(document: Document): void {
  visit(document, {
    Scalar(_, node) {
      if (node.tag !== undefined && !node.tag.startsWith(STANDARD)) node.value = new TaggedScalar(node.tag);
    },
  });
}

/** Whether two keys of a map are the same. */
export function areSameKeys(one: unknown, other: unknown): boolean {
  return one === other || (isScalar(one) && isScalar(other) && String(one.value) === String(other.value));
}
