import { isScalar, visit, type Document, type ScalarTag, type Tags } from 'yaml';

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
