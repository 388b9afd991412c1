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

/** Limits the expansion of anchors, so that a small file cannot become huge; enough for a few hundred agents to share settings. */
const MAX_ALIASES = 10_000;

/**
 * Reads YAML, including JSON, with merge keys (`<<`). Maps keep the file's order, because the first agent is the entry agent.
 * Scalars that YAML does not read as text are `WrittenScalar`. Returns the top map, or the faults.
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

/** Only the first of each line: the others follow from it. */
function syntaxFaults(errors: readonly YAMLError[], lineCounter: LineCounter): DefinitionFault[] {
  const faults = new Map<number, DefinitionFault>();
  for (const { pos, message } of errors) {
    const { line, col } = lineCounter.linePos(pos[0]);
    if (!faults.has(line)) faults.set(line, { path: `line ${line}, column ${col}`, detail: withHint(message) });
  }
  return [...faults.values()];
}

/** An unquoted cron expression looks like a reference to an anchor. */
function withHint(message: string): string {
  if (message.startsWith('Merge sources'))
    return 'what stands under << must be a map or a list of maps, and *NAME needs an &NAME before it';
  return /alias/i.test(message) ? `${message}; text that begins with * must be in quotes` : message;
}

/** An unquoted number, boolean, date or null: its YAML value, and its source text. */
export class WrittenScalar {
  constructor(
    readonly value: unknown,
    readonly source: string,
  ) {}

  /** Keys are equal if they are written alike. */
  toString(): string {
    return this.source;
  }
}

/** A scalar with an unsupported tag, such as `!secret`: its plain text would not be what its author meant. */
export class TaggedScalar {
  constructor(readonly tag: string) {}
}

type RestOfResolve = Parameters<ScalarTag['resolve']> extends [string, ...infer Rest] ? Rest : never;

const STANDARD = 'tag:yaml.org,2002:';
const NO_TEXT = ['int', 'float', 'bool', 'null', 'timestamp'].map((name) => STANDARD + name);

/** A schema's tags, with scalars that know their source text. Repeated ones are the same object, as keys of merged maps must be. */
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

/** Replaces all scalars with tags other than YAML's own by `TaggedScalar`. */
export function markTagged(document: Document): void {
  visit(document, {
    Scalar(_, node) {
      if (node.tag !== undefined && !node.tag.startsWith(STANDARD)) node.value = new TaggedScalar(node.tag);
    },
  });
}

export function areSameKeys(one: unknown, other: unknown): boolean {
  return one === other || (isScalar(one) && isScalar(other) && String(one.value) === String(other.value));
}
