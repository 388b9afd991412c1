import { digestOf } from './digest.js';
import { roomFor } from './list-room.js';

/** Recurring elements could begin the rest of a list at many places. */
const MAX_ATTEMPTS = 8;
/** The digest of the list so far is remembered after every this many elements. */
const MILESTONE = 256;

/** An index of elements that lists with the same beginning share. It only grows at its end, and each list counts its own elements. */
class ElementIndex {
  /** The memory in which extended lists continue; null if there is none yet. */
  room: Buffer | null = null;
  /** Computed digests of the first `MILESTONE` elements, twice as many, and so on. */
  private milestones: (string | undefined)[] = [];

  constructor(
    readonly starts: number[],
    readonly ends: number[],
    readonly digests: (string | undefined)[],
  ) {}

  /** An index that can be extended after the first `count` elements: this one, unless a list has already continued differently. */
  after(count: number): ElementIndex {
    if (this.ends.length === count) return this;
    const { starts, ends, digests } = this;
    const copy = new ElementIndex(starts.slice(0, count), ends.slice(0, count), digests.slice(0, count));
    copy.milestones = this.milestones.slice(0, Math.floor(count / MILESTONE));
    return copy;
  }

  /** The remembered digest of the most elements, more than `from` and at most `count`. */
  milestone(from: number, count: number): { count: number; digest: string } | null {
    for (let passed = Math.floor(count / MILESTONE); passed * MILESTONE > from; passed--) {
      const digest = this.milestones[passed - 1];
      if (digest !== undefined) return { count: passed * MILESTONE, digest };
    }
    return null;
  }

  remember(count: number, digest: string): void {
    if (count % MILESTONE === 0) this.milestones[count / MILESTONE - 1] = digest;
  }

  /** The same for a list stored elsewhere, which must not retain the memory. */
  withoutRoom(count: number): ElementIndex {
    if (this.room === null) return this;
    const index = this.after(count);
    index.room = null;
    return index;
  }

  /** @param offset where the added elements begin in the list's bytes */
  add(starts: readonly number[], ends: readonly number[], digests: readonly (string | undefined)[], offset = 0): void {
    const count = ends.length; // a list appended to itself grows here
    for (let i = 0; i < count; i++) {
      this.starts.push(starts[i]! + offset);
      this.ends.push(ends[i]! + offset);
      this.digests.push(digests[i]);
    }
  }
}

/** The first elements of a list. */
export interface ListBeginning {
  readonly list: TextList;
  readonly count: number;
}

/**
 * The elements of a JSON array as reported: their exact bytes, and where each begins and ends.
 * Immutable; a list that extends another shares the index of its first elements.
 */
export class TextList {
  static readonly EMPTY = new TextList(Buffer.alloc(0), new ElementIndex([], [], []), 0, null, '');

  private constructor(
    /** The text between the brackets. */
    readonly bytes: Buffer,
    private readonly index: ElementIndex,
    readonly count: number,
    /** The list that this one begins with. */
    readonly beginning: ListBeginning | null,
    /** The digest of all elements, once computed. */
    private known: string | null = null,
    /** The list of its last elements, if it was joined from two. */
    private readonly added: TextList | null = null,
  ) {}

  /** @param extended a list whose bytes `bytes` begins with; `starts` and `ends` then cover only what follows. */
  static of(bytes: Buffer, starts: number[], ends: number[], extended: TextList | null = null): TextList {
    if (bytes.length === 0) return TextList.EMPTY;
    if (!extended || extended.count === 0) {
      const index = new ElementIndex(starts, ends, new Array<undefined>(ends.length).fill(undefined));
      return new TextList(bytes, index, ends.length, null);
    }
    const index = extended.index.after(extended.count);
    index.add(starts, ends, []);
    return new TextList(bytes, index, extended.count + ends.length, { list: extended, count: extended.count });
  }

  /** Elements from the log, with the digests known there. */
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
    const digests = elements.map(({ digest }) => digest ?? undefined);
    return new TextList(Buffer.concat(parts), new ElementIndex(starts, ends, digests), ends.length, null);
  }

  /**
   * The first elements of a list, followed by others. Costs time and memory only for the others, as long as each list continues where the
   * previous one ended.
   */
  static append(beginning: ListBeginning, added: TextList): TextList {
    const { list, count } = beginning;
    if (count === 0) return added;
    const end = list.index.ends[count - 1]!;
    if (added.count === 0) return new TextList(list.bytes.subarray(0, end), list.index, count, beginning);
    const index = list.index.after(count);
    const separator = list.separator();
    const offset = end + separator.length;
    const length = offset + added.bytes.length;
    const room = roomFor(list.bytes, index.room, { end, length });
    index.room = room;
    separator.copy(room, end);
    added.bytes.copy(room, offset);
    const own = added.index;
    if (own.ends.length === added.count) index.add(own.starts, own.ends, own.digests, offset);
    else index.add(own.starts, own.ends.slice(0, added.count), own.digests, offset);
    return new TextList(room.subarray(0, length), index, count + added.count, beginning, null, added);
  }

  /** The smallest known list with the element, and its index there, so that retaining an element does not retain all elements before it. */
  sourceOf(index: number): { source: TextList; index: number } {
    const before = this.count - (this.added?.count ?? 0);
    return this.added && index >= before ? { source: this.added, index: index - before } : { source: this, index };
  }

  /** Bytes of an element. */
  lengthOf(index: number): number {
    return this.index.ends[index]! - this.index.starts[index]!;
  }

  /** The bytes of an element, not copied. */
  slice(index: number): Buffer {
    return this.bytes.subarray(this.index.starts[index], this.index.ends[index]);
  }

  text(index: number): string {
    return this.bytes.toString('utf8', this.index.starts[index], this.index.ends[index]);
  }

  digest(index: number): string {
    return (this.index.digests[index] ??= digestOf(this.slice(index)));
  }

  /**
   * One digest of all elements, independent of white space between them. A list that continues a whole other one continues its digest.
   * @param keepsDigests whether the elements' own digests will be needed, too
   */
  digestOfAll(keepsDigests: boolean): string {
    if (this.known === null) for (const _ of this.digesting(keepsDigests));
    return this.known!;
  }

  /** The same for a list that ends with these elements, from the digest of those before them. */
  digestBehind(before: string, keepsDigests: boolean): string {
    let digest = before;
    for (let i = 0; i < this.count; i++) digest = digestOf(digest + this.ownDigest(i, keepsDigests));
    return digest;
  }

  /** Computes the digest of all elements, one by one. */
  *digesting(keepsDigests: boolean): Generator<void> {
    if (this.known !== null) return;
    const { beginning } = this;
    const before = beginning && beginning.count === beginning.list.count ? beginning.list : TextList.EMPTY;
    if (before.known === null) yield* before.digesting(keepsDigests);
    const passed = this.index.milestone(before.count, this.count);
    let digest = passed?.digest ?? before.known!;
    for (let i = passed?.count ?? before.count; i < this.count; i++) {
      digest = digestOf(digest + this.ownDigest(i, keepsDigests));
      this.index.remember(i + 1, digest);
      yield;
    }
    this.known = digest;
  }

  private ownDigest(index: number, keeps: boolean): string {
    return keeps ? this.digest(index) : (this.index.digests[index] ?? digestOf(this.slice(index)));
  }

  /** The number of elements at the start that both lists share. */
  commonCount(other: TextList): number {
    const limit = Math.min(this.count, other.count);
    let common = Math.min(limit, this.sharedCount(other));
    while (common < limit && this.isSame(common, other)) common += 1;
    return common;
  }

  /**
   * The index in the other list from which its end equals the rest of this list, from `from` on; -1 if there is none. A trimmed history,
   * which lacks its beginning, matches this way.
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

  /**
   * The same list without a reference to the list it begins with. It is moved out of the request body, after the list that it continues, so
   * that the bodies of a growing list are soon released; or into its own buffer if it is a small part of a larger one.
   */
  detachedFromBody(): TextList {
    const { beginning, index, bytes, count } = this;
    if (beginning && this.isNextOf(beginning)) return this.movedBehind(beginning.list);
    const isLoose = bytes.buffer.byteLength > 2 * bytes.length + 4096;
    if (!isLoose && !beginning) return this;
    const isInRoom = !isLoose && bytes.buffer === index.room?.buffer;
    const own = isInRoom ? index : index.withoutRoom(count);
    return new TextList(isLoose ? Buffer.from(bytes) : bytes, own, count, null, this.known);
  }

  /** Whether it lies in a body and holds the index's last elements, after all of another list. */
  private isNextOf({ list, count }: ListBeginning): boolean {
    const { index } = this;
    const isLast = index === list.index && index.ends.length === this.count;
    return isLast && count === list.count && count < this.count && this.bytes.buffer !== index.room?.buffer;
  }

  private movedBehind(list: TextList): TextList {
    const { index, bytes, count } = this;
    const end = list.bytes.length;
    const room = roomFor(list.bytes, index.room, { end, length: bytes.length });
    index.room = room;
    bytes.copy(room, end, end);
    return new TextList(room.subarray(0, bytes.length), index, count, null, this.known);
  }

  /** The number of elements known to be equal without a comparison. */
  private sharedCount(other: TextList): number {
    if (this.index === other.index) return this.count;
    const { beginning } = this;
    if (!beginning) return 0;
    const { index } = beginning.list;
    if (index === other.index) return Math.min(beginning.count, other.count);
    return other.beginning?.list.index === index ? Math.min(beginning.count, other.beginning.count) : 0;
  }

  /** The text between its elements, so that bodies with the same white space begin with its bytes. */
  private separator(): Buffer {
    if (this.count < 2) return COMMA;
    const between = this.bytes.subarray(this.index.ends[0], this.index.starts[1]);
    return between.length > MAX_SEPARATOR ? COMMA : between;
  }

  private isRestOf(other: TextList, from: number, start: number): boolean {
    for (let i = start; i < other.count; i++) if (!this.isSame(from + i - start, other, i)) return false;
    return true;
  }

  private isSame(index: number, other: TextList, otherIndex = index): boolean {
    const [from, to] = [this.index.starts[index]!, this.index.ends[index]!];
    const [otherFrom, otherTo] = [other.index.starts[otherIndex]!, other.index.ends[otherIndex]!];
    return to - from === otherTo - otherFrom && this.bytes.compare(other.bytes, otherFrom, otherTo, from, to) === 0;
  }
}

const COMMA = Buffer.from(',');
/** In bytes. */
const MAX_SEPARATOR = 8;
