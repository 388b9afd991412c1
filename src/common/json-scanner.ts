import { JsonCheck } from './json-check.js';
import { MAX_ELEMENT_LEVELS, type JsonExcess } from './json-limits.js';
import { isSpace } from './json-tokens.js';
import { recurringText } from './recurring-texts.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** The text is not JSON; `json-fault.ts` finds the exact place. */
export class JsonOutlineError extends Error {}

/** More was scanned than the scanner's budget allows. */
export class ScanBudgetError extends Error {}

/** The values of a text already checked to be JSON. Query them in text order. */
export interface KnownValues {
  /** The end of the value that starts here; -1 if unknown. */
  endOf(from: number): number;
  /** The limit exceeded by the value that starts here; null for none. */
  excessOf(from: number): JsonExcess | null;
}

export interface ScanOptions {
  /** Where the text starts. Default: 0. */
  from?: number;
  /** Limit of bytes to scan; absent for none. Values with known ends are free. */
  budget?: number;
  values?: KnownValues | null;
}

/** Finds the bounds of JSON values in UTF-8 bytes without creating objects. Scanned bytes are valid JSON. */
export class JsonScanner {
  at: number;
  /** The limit exceeded by the last consumed value; null for none. Only known values are counted. */
  excess: JsonExcess | null = null;
  private readonly end: number;
  private readonly values: KnownValues | null;
  private check: JsonCheck | null = null;
  private budget: number;

  constructor(
    readonly bytes: Buffer,
    { from = 0, budget = Infinity, values = null }: ScanOptions = {},
  ) {
    this.at = from;
    this.end = bytes.length;
    this.values = values;
    this.budget = budget;
  }

  /** Whether the whole text was checked beforehand. */
  get hasKnownValues(): boolean {
    return this.values !== null;
  }

  /** The next byte that is not white space, without consuming it; -1 at the end. */
  peek(): number {
    while (this.at < this.end && isSpace(this.bytes[this.at]!)) this.at += 1;
    return this.at < this.end ? this.bytes[this.at]! : -1;
  }

  /**
   * Walks over the members of the object that starts here. `visit` must consume the value.
   * @param visit gets the member's name; the scanner is then before its value
   */
  members(visit: (name: string) => void): void {
    this.expect(OPEN_BRACE);
    if (this.skipIf(CLOSE_BRACE)) return;
    do {
      const name = this.string();
      this.expect(COLON);
      visit(name);
    } while (this.skipIf(COMMA));
    this.expect(CLOSE_BRACE);
  }

  /** Walks over the elements of the array that starts here. `visit` must consume the element. */
  elements(visit: () => void): void {
    this.expect(OPEN_BRACKET);
    if (this.skipIf(CLOSE_BRACKET)) return;
    do visit();
    while (this.skipIf(COMMA));
    this.expect(CLOSE_BRACKET);
  }

  isObject(): boolean {
    return this.peek() === OPEN_BRACE;
  }

  isArray(): boolean {
    return this.peek() === OPEN_BRACKET;
  }

  /** Consumes one value of any kind. Returns its start and end. */
  value(): readonly [from: number, to: number] {
    this.peek();
    const from = this.at;
    const end = this.values?.endOf(from) ?? -1;
    this.excess = this.values?.excessOf(from) ?? null;
    if (end === -1) this.checkThrough();
    else this.at = end;
    return [from, this.at];
  }

  expect(byte: number): void {
    if (this.peek() !== byte) throw new JsonOutlineError();
    this.at += 1;
  }

  skipIf(byte: number): boolean {
    if (this.peek() !== byte) return false;
    this.at += 1;
    return true;
  }

  private checkThrough(): void {
    const from = this.at;
    const limit = from + this.budget;
    this.check ??= new JsonCheck(this.bytes);
    const end = this.check.endOfValue(from, Math.min(limit, this.end));
    if (end === -1 && this.check.fault === null && limit < this.end) throw new ScanBudgetError();
    if (end === -1) throw new JsonOutlineError();
    this.at = end;
    this.budget -= end - from;
    if (this.check.deepestLevel > MAX_ELEMENT_LEVELS) this.excess = 'levels';
  }

  private string(): string {
    if (this.peek() !== QUOTE) throw new JsonOutlineError();
    const from = this.at;
    const name = recurringText(this.bytes, from + 1);
    if (name !== null) {
      this.at = from + name.length + 2;
      return name;
    }
    this.skipString(this.hasKnownValues ? Infinity : from + this.budget);
    return decodeString(this.bytes, from + 1, this.at - 1);
  }

  /** @param limit end of the budget; checked at each find, so it may be exceeded slightly */
  private skipString(limit: number): void {
    let quote = this.at;
    while (quote <= limit) {
      quote = this.bytes.indexOf(QUOTE, quote + 1);
      if (quote === -1 || quote >= this.end) throw new JsonOutlineError();
      let before = quote - 1;
      while (this.bytes[before] === BACKSLASH) before -= 1;
      if ((quote - before) % 2 === 0) continue;
      this.at = quote + 1;
      return;
    }
    throw new ScanBudgetError();
  }
}

/** The string between its quotes; fastest for plain ASCII, as nearly all names are. */
function decodeString(bytes: Buffer, from: number, to: number): string {
  const plain = bytes.toString('latin1', from, to);
  if (PLAIN.test(plain)) return plain;
  try {
    return JSON.parse(bytes.toString('utf8', from - 1, to + 1)) as string;
  } catch {
    throw new JsonOutlineError();
  }
}

/** Printable ASCII without escapes. */
const PLAIN = /^[\x20-\x5b\x5d-\x7e]*$/;
