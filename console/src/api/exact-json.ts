/** A number that JavaScript cannot hold exactly, as its digits; `JSON.stringify` writes the digits. */
interface RawJson {
  rawJSON: string;
}
type Reviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown;
const native = JSON as unknown as {
  parse(text: string, reviver: Reviver): unknown;
  rawJSON?: (text: string) => RawJson;
};

/**
 * Reads JSON without changing a number: one that a double cannot hold stays as its digits, and {@link stringifyExact} writes them.
 * Browsers without `JSON.rawJSON` get such a number as a string of its digits.
 *
 * @throws SyntaxError for text that is not JSON
 */
export function parseExact(text: string): unknown {
  return native.parse(text, (_key, value, context) => {
    const source = context?.source;
    if (typeof value !== 'number' || source === undefined || String(value) === source) return value;
    return isSameNumber(value, source) ? value : (native.rawJSON?.(source) ?? source);
  });
}

/** JSON text of a value, also of what {@link parseExact} returned. */
export function stringifyExact(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent);
}

/** 1.50 and 1e2 are the numbers that a double holds, in another spelling. */
function isSameNumber(value: number, source: string): boolean {
  const digits = (text: string) =>
    text
      .replace(/e.*$/i, '')
      .replace(/[-.]/g, '')
      .replace(/^0+|0+$/g, '');
  return digits(String(value)) === digits(source);
}
