import { JsonScanner } from '../../../common/json-scanner.js';

/** Characters of one value, and of a whole text, that a template includes. */
const MAX_VALUE = 20_000;
const MAX_TEXT = 100_000;

/** `{{`, a pointer or a header. Other braces are text. */
const PLACEHOLDER = /\{\{|\{(\/[^{}]*)\}|\{header:([^{}]*)\}/g;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const INDEX = /^(0|[1-9]\d*)$/;

/** Where a value is in a request: in the JSON body, by the steps of a JSON Pointer (RFC 6901), or in a header. */
export type Place =
  | { readonly kind: 'pointer'; readonly steps: readonly string[] }
  /** `name` is in lower case. */
  | { readonly kind: 'header'; readonly name: string };

/** Text with values of a request. */
export type Template = readonly (string | Place)[];

/** What templates and filters read. */
export interface Delivery {
  /** Valid JSON. */
  readonly payload: Buffer;
  /** @param name in lower case */
  header(name: string): string | undefined;
}

/** The template, or what is wrong with it. */
export function parseTemplate(text: string): Template | { fault: string } {
  const parts: (string | Place)[] = [];
  let end = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    const [whole, pointer, header] = match;
    parts.push(text.slice(end, match.index));
    end = match.index + whole.length;
    const part = whole === '{{' ? '{' : parsePlace(pointer ?? `header:${header}`);
    if (typeof part === 'object' && 'fault' in part) return { fault: `has ${whole}, which ${part.fault}` };
    parts.push(part);
  }
  return [...parts, text.slice(end)].filter((part) => part !== '');
}

/** A pointer, `/issue/title`, or `header:NAME`; or what is wrong with it. */
export function parsePlace(text: string): Place | { fault: string } {
  if (text.startsWith('header:')) {
    const name = text.slice('header:'.length);
    return HEADER_NAME.test(name) ? { kind: 'header', name: name.toLowerCase() } : { fault: 'names no header' };
  }
  if (!text.startsWith('/')) return { fault: 'must be a JSON Pointer such as /issue/title, or header:NAME' };
  if (/~(?![01])/.test(text)) return { fault: 'has a ~ without 0 or 1 after it' };
  const steps = text.slice(1).split('/');
  return { kind: 'pointer', steps: steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')) };
}

/** Strings unchanged, everything else as exact JSON. Null if the value is missing or null. */
export function valueAt(place: Place, { payload, header }: Delivery): string | null {
  if (place.kind === 'header') return header(place.name) ?? null;
  const json = jsonAt(payload, place.steps);
  if (json === null || json === 'null') return null;
  return json.startsWith('"') ? (JSON.parse(json) as string).toWellFormed() : json;
}

/** Leaves out missing values; `isWhole` is true if there were none. */
export function fill(template: Template, delivery: Delivery): { text: string; isWhole: boolean } {
  let isWhole = true;
  const parts = template.map((part) => {
    if (typeof part === 'string') return part;
    const value = valueAt(part, delivery);
    isWhole &&= value !== null && value !== '';
    return cut(value ?? '', MAX_VALUE);
  });
  return { text: cut(parts.join(''), MAX_TEXT), isWhole };
}

/** A value's exact text; null if there is none. The last of members with the same name counts, as in `JSON.parse`. */
function jsonAt(payload: Buffer, steps: readonly string[]): string | null {
  let range = new JsonScanner(payload).value();
  for (const step of steps) {
    const scanner = new JsonScanner(payload, { from: range[0] });
    const found: (readonly [number, number])[] = [];
    let index = 0;
    const take = (isMeant: boolean) => {
      const value = scanner.value();
      if (isMeant) found.push(value);
    };
    if (scanner.isObject()) scanner.members((name) => take(name === step));
    else if (scanner.isArray() && INDEX.test(step)) scanner.elements(() => take(index++ === Number(step)));
    const last = found.at(-1);
    if (last === undefined) return null;
    range = last;
  }
  return payload.toString('utf8', ...range);
}

/** Cuts no character in half. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}
