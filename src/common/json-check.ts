import { MAX_ELEMENT_LEVELS, MAX_ELEMENT_VALUES, type JsonExcess } from './json-limits.js';
import { escapeLength, isSpace, plainEnd, scalarEnd } from './json-tokens.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

const FEW_CONTAINERS = 64;
const NO_CONTAINERS = new Uint8Array(0);

type Expecting = 'value' | 'first-element' | 'name' | 'first-name' | 'colon' | 'separator' | 'end';

/** Where the bytes stop being JSON, and what was expected. */
export interface JsonFault {
  position: number;
  expected: string;
}

/** Positions of values in a text. */
export class ValueNotes {
  /** Where they start, and end, in the order of their starts. */
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  /** The exceeded limits, by the values' starts. */
  readonly excesses = new Map<number, JsonExcess>();
  /** By depth, for each open value: its index in `starts`, -1 if not noted; */
  readonly open: number[] = [];
  /** the number of values before it; */
  readonly countsBefore: number[] = [];
  /** the depth of its deepest descendant. */
  readonly deepest: number[] = [];
}

/**
 * Checks that UTF-8 bytes are JSON, a slice at a time and without making objects, so that a large text neither blocks others nor
 * fills the memory. It has its own stack, so deep nesting cannot exhaust the call stack.
 */
export class JsonCheck {
  /** Null until one is found. */
  fault: JsonFault | null = null;
  /** The values up to the requested depth; null if none was requested. */
  readonly notes: ValueNotes | null;
  /** The deepest nesting of containers. */
  deepestLevel = 0;
  private expecting: Expecting = 'value';
  private isInString = false;
  private sliceEnd = 0;
  private readonly view: DataView;
  private containers = NO_CONTAINERS;
  private depth = 0;
  private valueCount = 0;
  /** Where the last member's name starts. */
  private nameAt = 0;
  private isHolderNoted = true;

  /**
   * @param at where the text starts
   * @param notedDepth the depth of containers down to which values are noted; -1 for none
   * @param isNotedIn whether values at that depth are noted within the member whose name, with its quote, starts there
   */
  constructor(
    private readonly bytes: Buffer,
    private at = 0,
    private readonly notedDepth = -1,
    private readonly isNotedIn: (nameAt: number) => boolean = () => true,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.notes = notedDepth < 0 ? null : new ValueNotes();
  }

  /** Checks some more bytes. @returns whether the check is over: everything is JSON, or there is a fault */
  advance(count: number): boolean {
    this.sliceEnd = this.at + count;
    while (this.fault === null && this.at < this.sliceEnd) {
      if (!this.isInString) this.skipSpace();
      if (this.at >= this.bytes.length) return this.close();
      this.step();
    }
    return this.fault !== null;
  }

  /**
   * Checks a single value and ignores what follows it.
   * @param from where it starts
   * @param until limit of its end; a number may continue after it
   * @returns where it ends; -1 if it is faulty or does not end before `until`
   */
  endOfValue(from: number, until: number): number {
    this.begin(from);
    this.sliceEnd = until;
    while (this.fault === null && this.at < until) {
      if (!this.isInString) {
        if (this.expecting === 'end') break;
        this.skipSpace();
        if (this.at >= until) break;
      }
      this.step();
    }
    return this.expecting === 'end' && this.fault === null ? this.at : -1;
  }

  private begin(at: number): void {
    this.at = at;
    this.depth = 0;
    this.deepestLevel = 0;
    this.expecting = 'value';
    this.isInString = false;
  }

  private step(): void {
    const missing = this.isInString ? this.string() : this.token(this.bytes[this.at]!);
    if (missing !== null) this.fail(missing);
  }

  private close(): true {
    if (this.isInString || this.expecting !== 'end') this.fail('');
    return true;
  }

  private fail(expected: string): void {
    const isCut = this.at >= this.bytes.length;
    this.fault = { position: this.at, expected: isCut ? 'the text ends too early' : expected };
  }

  /** Consumes the token that begins with the byte. Returns what was missing, or null. */
  private token(byte: number): string | null {
    switch (this.expecting) {
      case 'value':
        return this.value(byte);
      case 'first-element':
        return byte === CLOSE_BRACKET ? this.leave() : this.value(byte);
      case 'name':
        return this.name(byte);
      case 'first-name':
        return byte === CLOSE_BRACE ? this.leave() : this.name(byte);
      case 'colon':
        return byte === COLON ? this.pass('value') : '":" was expected';
      case 'separator':
        return this.separator(byte);
      case 'end':
        return 'the end of the text was expected';
    }
  }

  private value(byte: number): string | null {
    if (this.notes !== null && this.depth <= this.notedDepth) this.note(this.notes);
    this.valueCount += 1;
    if (byte === QUOTE) return this.beginString('value');
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) return this.enter(byte);
    const end = scalarEnd(this.bytes, this.at);
    if (end === this.at) return 'a value was expected';
    this.at = end;
    this.endValue();
    return null;
  }

  private note({ starts, ends, open, countsBefore, deepest }: ValueNotes): void {
    const { depth } = this;
    countsBefore[depth] = this.valueCount;
    deepest[depth] = depth;
    if (depth === this.notedDepth - 1) this.isHolderNoted = this.isNotedIn(this.nameAt);
    const isNoted = depth !== this.notedDepth || this.isHolderNoted;
    open[depth] = isNoted ? starts.push(this.at) - 1 : -1;
    if (isNoted) ends.push(-1);
  }

  private endValue(): void {
    const { depth } = this;
    this.expecting = depth === 0 ? 'end' : 'separator';
    if (this.notes !== null && depth <= this.notedDepth) this.noteEnd(this.notes);
  }

  private noteEnd({ starts, ends, excesses, open, countsBefore, deepest }: ValueNotes): void {
    const { depth } = this;
    const level = deepest[depth]!;
    if (depth > 0 && level > deepest[depth - 1]!) deepest[depth - 1] = level;
    const place = open[depth]!;
    if (place === -1) return;
    ends[place] = this.at;
    if (level - depth > MAX_ELEMENT_LEVELS) excesses.set(starts[place]!, 'levels');
    else if (this.valueCount - countsBefore[depth]! > MAX_ELEMENT_VALUES) excesses.set(starts[place]!, 'values');
  }

  private name(byte: number): string | null {
    this.nameAt = this.at;
    return byte === QUOTE ? this.beginString('name') : 'a property name in double quotes was expected';
  }

  private beginString(kind: 'value' | 'name'): null {
    this.expecting = kind;
    this.isInString = true;
    this.at += 1;
    return null;
  }

  private separator(byte: number): string | null {
    const isObject = this.containers[this.depth - 1] === OPEN_BRACE;
    if (byte === COMMA) return this.pass(isObject ? 'name' : 'value');
    if (byte === (isObject ? CLOSE_BRACE : CLOSE_BRACKET)) return this.leave();
    return `"," or "${isObject ? '}' : ']'}" was expected`;
  }

  private pass(next: Expecting): null {
    this.at += 1;
    this.expecting = next;
    return null;
  }

  private enter(opener: number): null {
    if (this.depth === this.containers.length) {
      const larger = new Uint8Array(Math.max(FEW_CONTAINERS, 2 * this.depth));
      larger.set(this.containers);
      this.containers = larger;
    }
    this.containers[this.depth++] = opener;
    if (this.depth > this.deepestLevel) this.deepestLevel = this.depth;
    if (this.notes !== null) this.noteDepth(this.notes);
    return this.pass(opener === OPEN_BRACE ? 'first-name' : 'first-element');
  }

  private noteDepth({ deepest }: ValueNotes): void {
    const { depth } = this;
    const holder = Math.min(depth - 1, this.notedDepth);
    if (depth > deepest[holder]!) deepest[holder] = depth;
  }

  private leave(): null {
    this.depth -= 1;
    this.at += 1;
    this.endValue();
    return null;
  }

  /** Continues in a string until after its closing quote, or to the end of the slice. */
  private string(): string | null {
    const { bytes } = this;
    const until = Math.min(this.sliceEnd, bytes.length);
    while (this.at < until) {
      this.at = plainEnd(this.view, this.at, until);
      if (this.at === until) break;
      const byte = bytes[this.at]!;
      if (byte === QUOTE) return this.endString();
      if (byte !== BACKSLASH) return 'an escape was expected instead of a control character';
      const length = escapeLength(bytes, this.at + 1);
      if (length === 0) return 'a valid escape was expected';
      this.at += 1 + length;
    }
    return this.at < bytes.length ? null : 'the end of a string was expected';
  }

  private endString(): null {
    this.at += 1;
    this.isInString = false;
    if (this.expecting === 'name') this.expecting = 'colon';
    else this.endValue();
    return null;
  }

  private skipSpace(): void {
    const { bytes } = this;
    while (this.at < bytes.length && isSpace(bytes[this.at]!)) this.at += 1;
  }
}
