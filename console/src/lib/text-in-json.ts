import { parseExact, stringifyExact } from '../../../src/common/exact-number.js';

/** A member of a result: multi-line text, or something short. */
export interface TextPart {
  /** Null for a result that is a single text. */
  name: string | null;
  text: string;
  isLong: boolean;
}

/** Lines from which a text reads better without quotes and escapes. */
const LINES = 3;
const MOST = 200_000;

/** The texts of a JSON result that is meant for reading, such as a log or a traceback; null if JSON shows it better. */
export function textInJson(json: string): TextPart[] | null {
  if (json.length > MOST || !/^\s*["{]/.test(json)) return null;
  let value: unknown;
  try {
    value = parseExact(json, { keepsSpelling: true });
  } catch {
    return null;
  }
  if (typeof value === 'string') return isLong(value) ? [{ name: null, text: value, isLong: true }] : null;
  if (typeof value !== 'object' || value === null || !Object.values(value).some(isLong)) return null;
  return Object.entries(value).map(([name, member]) => ({
    name,
    text: typeof member === 'string' ? member : stringifyExact(member),
    isLong: isLong(member),
  }));
}

function isLong(value: unknown): boolean {
  return typeof value === 'string' && value.split('\n', LINES).length === LINES;
}

const STACK_LINE = /^\s+(?:at \S.*|File ".*", line \d+.*)$/gm;
const LOG_LINE = /^(?:\[?\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d|\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL)\b)/gm;

/** Whether a text is a traceback or a log, whose characters Markdown would misread. */
export function isLog(text: string): boolean {
  const count = (pattern: RegExp) => text.slice(0, MOST).match(pattern)?.length ?? 0;
  return text.includes('Traceback (most recent call last):') || count(STACK_LINE) >= 2 || count(LOG_LINE) >= LINES;
}
