import { escapeLength, isSpace, scalarEnd } from './json-tokens.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const FIRST_PRINTABLE = 0x20;

type Expecting = 'value' | 'first-element' | 'name' | 'first-name' | 'colon' | 'separator' | 'end';

/** Where the bytes stop being JSON, and what should stand there. */
export interface JsonFault {
  position: number;
  expected: string;
}

/**
 * Checks that UTF-8 bytes are JSON, a slice at a time and without making objects of them, so that a large text holds nobody up and
 * fills no memory. The stack is its own: deep nesting cannot exhaust the call stack.
 */
export class JsonCheck {
  /** Null as long as none was found. */
  fault: JsonFault | null = null;
  /** Where values begin, and end, that lie at most so deep as was asked for; in the order of their beginnings. */
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  private expecting: Expecting = 'value';
  private isInString = false;
  private sliceEnd = 0;
  private containers = new Uint8Array(64);
  private depth = 0;
  /** Places in `starts` of the values that are open, by their depth. */
  private readonly open: number[] = [];

  /**
   * @param at where the text begins
   * @param notedDepth how many containers a value may lie in to be noted; -1 for no value
   */
  constructor(
    private readonly bytes: Buffer,
    private at = 0,
    private readonly notedDepth = -1,
  ) {}

  /** Checks some bytes more. @returns whether nothing is left to be checked: all is JSON, or there is a fault */
  advance(count: number): boolean {
    this.sliceEnd = this.at + count;
    while (this.fault === null && this.at < this.sliceEnd) {
      if (!this.isInString) this.skipSpace();
      if (this.at >= this.bytes.length) return this.close();
      const missing = this.isInString ? this.string() : this.token(this.bytes[this.at]!);
      if (missing !== null) this.fail(missing);
    }
    return this.fault !== null;
  }

  private close(): true {
    if (this.isInString || this.expecting !== 'end') this.fail('');
    return true;
  }

  private fail(expected: string): void {
    const isCut = this.at >= this.bytes.length;
    this.fault = { position: this.at, expected: isCut ? 'the text ends too early' : expected };
  }

  /** Consumes what begins with the byte. Answers what was missing, or null. */
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
    if (this.depth <= this.notedDepth) this.note();
    if (byte === QUOTE) return this.beginString('value');
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) return this.enter(byte);
    const end = scalarEnd(this.bytes, this.at);
    if (end === this.at) return 'a value was expected';
    this.at = end;
    this.endValue();
    return null;
  }

  private note(): void {
    this.open[this.depth] = this.starts.push(this.at) - 1;
    this.ends.push(-1);
  }

  private endValue(): void {
    this.expecting = this.depth === 0 ? 'end' : 'separator';
    if (this.depth <= this.notedDepth) this.ends[this.open[this.depth]!] = this.at;
  }

  private name(byte: number): string | null {
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
      const larger = new Uint8Array(2 * this.depth);
      larger.set(this.containers);
      this.containers = larger;
    }
    this.containers[this.depth++] = opener;
    return this.pass(opener === OPEN_BRACE ? 'first-name' : 'first-element');
  }

  private leave(): null {
    this.depth -= 1;
    this.at += 1;
    this.endValue();
    return null;
  }

  /** Goes on in a string, to behind its last quote or to the end of the slice. */
  private string(): string | null {
    const { bytes } = this;
    const until = Math.min(this.sliceEnd, bytes.length);
    for (; this.at < until; this.at++) {
      const byte = bytes[this.at]!;
      if (byte === QUOTE) return this.endString();
      if (byte !== BACKSLASH && byte >= FIRST_PRINTABLE) continue;
      if (byte !== BACKSLASH) return 'an escape was expected instead of a control character';
      const length = escapeLength(bytes, this.at + 1);
      if (length === 0) return 'a valid escape was expected';
      this.at += length;
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
