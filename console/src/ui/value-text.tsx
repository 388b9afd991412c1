import { useMemo } from 'react';
import { parseExact } from '../api/exact-json.js';
import { readableJson } from '../lib/readable-json.js';
import { PlainText } from './plain-text.js';

/** Longest JSON that is laid out, in characters; longer JSON stays as it came. */
const MAX_LAID_OUT = 200_000;

/** Arguments and results of tools: multi-line JSON with exact numbers; other texts as they are. */
export function ValueText({ text }: { text: string }) {
  const shown = useMemo(() => layOut(text), [text]);
  return <PlainText text={shown} isValue />;
}

/** Multi-line JSON if it is an object or a list, otherwise the text itself. */
export function layOut(text: string): string {
  if (text.length > MAX_LAID_OUT || !/^\s*[[{]/.test(text)) return text;
  try {
    return readableJson(parseExact(text));
  } catch {
    return text;
  }
}
