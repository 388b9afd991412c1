import { MAX_ELEMENT_LEVELS } from './json-limits.js';
import { JsonScanner } from './json-scanner.js';

/** The text has no canonical form: `path` says where, `detail` why. */
export class NotCanonicalError extends Error {
  constructor(
    readonly path: string,
    readonly detail: string,
  ) {
    super(`${path}: ${detail}`);
  }
}

/**
 * One text for all texts of the same JSON value: members sorted by name, numbers by their exact decimal value, no space between tokens.
 * Parses no doubles, which could not tell long numbers apart.
 * @param bytes valid JSON in UTF-8
 * @param path of the value, for the error
 * @throws NotCanonicalError for an object with a duplicate name, for more than 1,000 levels, and for exponents of more than 20 digits
 */
export function canonicalJson(bytes: Buffer, path: string): string {
  return new CanonicalWriter(new JsonScanner(bytes)).value(path, 0);
}

class CanonicalWriter {
  constructor(private readonly scanner: JsonScanner) {}

  value(path: string, level: number): string {
    const { scanner } = this;
    if (level > MAX_ELEMENT_LEVELS) throw new NotCanonicalError(path, `has more than ${MAX_ELEMENT_LEVELS} levels`);
    if (scanner.isObject()) return this.object(path, level);
    if (scanner.isArray()) return this.array(path, level);
    const text = scanner.bytes.toString('utf8', ...scanner.value());
    if (text.startsWith('"')) return JSON.stringify(JSON.parse(text));
    return /^[-\d]/.test(text) ? canonicalNumber(text, path) : text;
  }

  private object(path: string, level: number): string {
    const members = new Map<string, string>();
    this.scanner.members((name) => {
      const at = `${path}.${name}`;
      if (members.has(name)) throw new NotCanonicalError(at, 'is given twice');
      members.set(name, this.value(at, level + 1));
    });
    const sorted = [...members].sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${sorted.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
  }

  private array(path: string, level: number): string {
    const elements: string[] = [];
    this.scanner.elements(() => elements.push(this.value(`${path}[${elements.length}]`, level + 1)));
    return `[${elements.join(',')}]`;
  }
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** The digits without zeros at either end, then the power of ten: `-12e-1` for -1.20; `0` for every zero. */
function canonicalNumber(text: string, path: string): string {
  const [, sign, whole, fraction = '', exponent = '0'] = NUMBER.exec(text)!;
  const digits = trimZeros(`${whole}${fraction}`);
  if (digits.text === '') return '0';
  // Parsing a number takes time quadratic in its digits.
  if (/[1-9]\d{20}/.test(exponent)) throw new NotCanonicalError(path, 'has an exponent of more than 20 digits');
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.trailing);
  return `${sign}${digits.text}e${power}`;
}

/** A regular expression would take quadratic time for zeros inside. */
function trimZeros(digits: string): { text: string; trailing: number } {
  let [from, to] = [0, digits.length];
  while (from < to && digits[from] === '0') from += 1;
  while (to > from && digits[to - 1] === '0') to -= 1;
  return { text: digits.slice(from, to), trailing: digits.length - to };
}
