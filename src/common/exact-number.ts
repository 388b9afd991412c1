/** A number with its original digits, for numbers that JavaScript would round or write differently. */
export class ExactNumber {
  constructor(readonly digits: string) {}

  toString(): string {
    return this.digits;
  }

  /** The nearest double, for sums and comparisons. */
  valueOf(): number {
    return Number(this.digits);
  }

  toJSON(): unknown {
    return native.rawJSON ? native.rawJSON(this.digits) : MARK + this.digits;
  }
}

export interface ExactJsonOptions {
  /** Limit of numbers kept; further ones are rounded, so that a text full of them costs no memory. */
  limit?: number;
  /** Also keeps numbers that a double holds but would write differently, such as 149.00: some agents distinguish 149.0 and 149. */
  keepsSpelling?: boolean;
}

/** Newer engines can write given digits (https://tc39.es/proposal-json-parse-with-source/). */
const native = JSON as { rawJSON?: (text: string) => unknown };

/** Marks digits inside other JSON; random, so that no text contains it. */
const MARK = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('');
const MARKED = new RegExp(`"${MARK}([^"]*)"`, 'g');

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** A cheap test for numbers that a double may not hold: sixteen digits in a row, or an exponent. */
const MAYBE_INEXACT = /[\d.]{16}|\d[eE][+-]?\d/;
/** The same for numbers that a double would write differently. */
const MAYBE_RESPELLED = /[\d.]{16}|\d[eE][+-]?\d|\.\d*0(?!\d)|-0/;
/** Limit of values searched for a number. */
const SEARCHED_VALUES = 64;

/**
 * Reads JSON without changing a number: those that a double cannot hold become {@link ExactNumber}s, which {@link stringifyExact} writes
 * with their digits.
 *
 * @throws SyntaxError for text that is not JSON
 */
export function parseExact(text: string, { limit = Infinity, keepsSpelling = false }: ExactJsonOptions = {}): unknown {
  const value: unknown = JSON.parse(text);
  const isSuspect = keepsSpelling ? MAYBE_RESPELLED : MAYBE_INEXACT;
  if (!mayHoldNumber(value) || !isSuspect.test(text)) return value;
  const marked = quoteNumbers(text, keepsSpelling ? isRespelled : isInexact, MARK, limit);
  return marked === text ? value : unmark(JSON.parse(marked));
}

/**
 * JSON text of a value, including results of {@link parseExact}.
 *
 * @throws RangeError for a value that is nested thousands of levels deep
 */
export function stringifyExact(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, undefined, indent) as string | undefined;
  if (text === undefined) return '';
  return native.rawJSON ? text : text.replace(MARKED, '$1');
}

/** The index after the closing quote of the string that opens at `start`. */
export function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
    quote = text.indexOf('"', quote + 1);
  }
  return text.length;
}

/**
 * Quotes numbers in a JSON text.
 * @param isWanted selects numbers by their digits; not called for those within strings
 * @param mark prefix of these strings
 * @param limit how many
 */
export function quoteNumbers(text: string, isWanted: (token: string) => boolean, mark = '', limit = Infinity): string {
  const tokens = /"|-?\d[\d.eE+-]*/g;
  const pieces: string[] = [];
  let copied = 0;
  let left = limit;
  for (let match = tokens.exec(text); match !== null && left > 0; match = tokens.exec(text)) {
    const token = match[0];
    if (token === '"') tokens.lastIndex = endOfString(text, match.index);
    else if (isWanted(token) && JSON_NUMBER.test(token)) {
      pieces.push(text.slice(copied, match.index), `"${mark}${token}"`);
      copied = tokens.lastIndex;
      left -= 1;
    }
  }
  return copied === 0 ? text : pieces.join('') + text.slice(copied);
}

/** False for a value without numbers: searching its text would take longer. True for a value too large to search. */
function mayHoldNumber(root: unknown): boolean {
  const values = [root];
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (typeof value === 'number') return true;
    if (typeof value !== 'object' || value === null) continue;
    const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    if (values.length + members.length > SEARCHED_VALUES) return true;
    values.push(...members);
  }
  return false;
}

/** Restores the numbers in a value from `JSON.parse`. Works without recursion, at any depth. */
function unmark(value: unknown): unknown {
  const root = { value };
  const open: object[] = [root];
  for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
    for (const [key, member] of Object.entries(holder)) {
      if (typeof member === 'object' && member !== null) open.push(member as object);
      else if (typeof member === 'string' && member.startsWith(MARK)) {
        const exact = new ExactNumber(member.slice(MARK.length));
        // An assignment would fail for a member called __proto__.
        Object.defineProperty(holder, key, { value: exact, writable: true, enumerable: true, configurable: true });
      }
    }
  }
  return root.value;
}

function isRespelled(token: string): boolean {
  return String(Number(token)) !== token;
}

/** Whether a double may differ from the token: too many digits, too large or too small. */
function isInexact(token: string): boolean {
  const value = Number(token);
  if (String(value) === token) return false;
  if (!Number.isFinite(value) || value === 0) return true;
  const digits = token.replace(/[eE].*$/, '').replace(/\D/g, '');
  return digits.length > 15;
}
