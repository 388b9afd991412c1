import { digestOf } from './digest.js';

/** Elements that are said again and again could begin the rest of a list at many places. */
const MAX_ATTEMPTS = 8;

/**
 * The elements of one JSON array as they were reported: their exact text, byte for byte, and where each begins and ends.
 * Immutable; a list that extends another shares the knowledge of its first elements.
 */
export class TextList {
  static readonly EMPTY = new TextList(Buffer.alloc(0), [], [], []);

  private constructor(
    /** The text between the brackets. */
    readonly bytes: Buffer,
    private readonly starts: readonly number[],
    private readonly ends: readonly number[],
    private readonly digests: (string | undefined)[],
    /** The list that this one was found to begin with, whole. */
    readonly extended: TextList | null = null,
  ) {}

  /** @param extended a list whose bytes `bytes` begins with; `starts` and `ends` then hold only what comes after it. */
  static of(bytes: Buffer, starts: number[], ends: number[], extended: TextList | null = null): TextList {
    if (bytes.length === 0) return TextList.EMPTY;
    if (!extended || extended.count === 0) return new TextList(bytes, starts, ends, []);
    return new TextList(
      bytes,
      extended.starts.concat(starts),
      extended.ends.concat(ends),
      extended.digests.slice(),
      extended,
    );
  }

  /** Elements as they lie in the log, with the digests known there. */
  static join(elements: readonly { body: string; digest: string | null }[]): TextList {
    if (elements.length === 0) return TextList.EMPTY;
    const bodies = elements.map(({ body }) => Buffer.from(body));
    const starts: number[] = [];
    const ends: number[] = [];
    let at = 0;
    const parts: Buffer[] = [];
    for (const body of bodies) {
      if (at > 0) parts.push(COMMA);
      starts.push(at > 0 ? at + 1 : 0);
      at = starts.at(-1)! + body.length;
      ends.push(at);
      parts.push(body);
    }
    return new TextList(
      Buffer.concat(parts),
      starts,
      ends,
      elements.map(({ digest }) => digest ?? undefined),
    );
  }

  get count(): number {
    return this.ends.length;
  }

  /** Bytes of an element. */
  lengthOf(index: number): number {
    return this.ends[index]! - this.starts[index]!;
  }

  /** The bytes of an element, not copied. */
  slice(index: number): Buffer {
    return this.bytes.subarray(this.starts[index], this.ends[index]);
  }

  text(index: number): string {
    return this.bytes.toString('utf8', this.starts[index], this.ends[index]);
  }

  digest(index: number): string {
    return (this.digests[index] ??= digestOf(this.slice(index)));
  }

  /** One digest of all elements, whatever white space stands between them. */
  digestOfAll(): string {
    let all = '';
    for (let i = 0; i < this.count; i++) all += this.digest(i);
    return digestOf(all);
  }

  /** How many elements both lists begin with alike. */
  commonCount(other: TextList): number {
    if (this.extended === other || this === other) return other.count;
    const limit = Math.min(this.count, other.count);
    let common = 0;
    while (common < limit && this.isSame(common, other)) common += 1;
    return common;
  }

  /**
   * Where the rest of this list, from the element `from` on, goes on like the end of the other one: at its element of the number that is
   * answered, and from there to its last. -1 where it does not. So it is with a history that was trimmed: its beginning is left out.
   */
  restIn(other: TextList, from: number): number {
    if (from >= this.count) return -1;
    const digest = this.digest(from);
    let attempts = MAX_ATTEMPTS;
    for (
      let start = Math.max(from + 1, other.count - this.count + from);
      start < other.count && attempts > 0;
      start++
    ) {
      if (other.digest(start) !== digest) continue;
      attempts -= 1;
      if (this.isRestOf(other, from, start)) return start;
    }
    return -1;
  }

  /** The same list without the memory of which one it extends, and in a buffer of its own where it sits in a much larger one. */
  settled(): TextList {
    const isLoose = this.bytes.buffer.byteLength > 2 * this.bytes.length + 4096;
    if (!isLoose && !this.extended) return this;
    return new TextList(isLoose ? Buffer.from(this.bytes) : this.bytes, this.starts, this.ends, this.digests);
  }

  private isRestOf(other: TextList, from: number, start: number): boolean {
    for (let i = start; i < other.count; i++) if (!this.isSame(from + i - start, other, i)) return false;
    return true;
  }

  private isSame(index: number, other: TextList, otherIndex = index): boolean {
    const [from, to] = [this.starts[index]!, this.ends[index]!];
    const [otherFrom, otherTo] = [other.starts[otherIndex]!, other.ends[otherIndex]!];
    return to - from === otherTo - otherFrom && this.bytes.compare(other.bytes, otherFrom, otherTo, from, to) === 0;
  }
}

const COMMA = Buffer.from(',');
