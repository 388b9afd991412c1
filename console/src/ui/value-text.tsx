import { useMemo } from 'react';
import { parseExact } from '../api/exact-json.js';
import { readableJson } from '../lib/readable-json.js';
import { PlainText } from './plain-text.js';

/** Characters of JSON that are laid out; longer ones stay as they came. */
const MAX_LAID_OUT = 200_000;

/** Arguments and results of tools: JSON on several lines, with every number in its digits; other texts as they are. */
export function ValueText({ text }: { text: string }) {
  const shown = useMemo(() => layOut(text), [text]);
  return <PlainText text={shown} isValue />;
}

/** JSON on several lines where it is an object or a list, else the text. */
export function layOut(text: string): string {
  if (text.length > MAX_LAID_OUT || !/^\s*[[{]/.test(text)) return text;
  try {
    return readableJson(parseExact(text));
  } catch {
    return text;
  }
}
