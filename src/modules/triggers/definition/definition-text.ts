import { LineCounter, parseDocument, type YAMLError } from 'yaml';
import type { DefinitionFault } from './definition-error.js';
import type { FileMap } from './fields.js';
import { areSameKeys, markTagged, writtenTags } from './written-scalar.js';

/** Bounds what references to anchors unfold to, so that a small file cannot become a huge one: a few hundred agents may share their settings. */
const MAX_ALIASES = 10_000;

/**
 * Reads YAML, of which JSON is a part, with merge keys (`<<`). Maps keep the order of the file, because the first agent is the entry agent.
 * Scalars that YAML takes for something else than text are `WrittenScalar`.
 * Answers the map at the top, or the faults.
 */
export function parseDefinitionText(text: string): { map: FileMap } | { faults: DefinitionFault[] } {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, {
    ...{ lineCounter, prettyErrors: false, version: '1.2', merge: true },
    ...{ customTags: writtenTags, uniqueKeys: areSameKeys },
  });
  if (document.errors.length > 0) return { faults: syntaxFaults(document.errors, lineCounter) };
  markTagged(document);
  try {
    const value: unknown = document.toJS({ mapAsMap: true, maxAliasCount: MAX_ALIASES });
    if (value instanceof Map) return { map: value };
  } catch (error) {
    return { faults: [{ path: '', detail: withHint(error instanceof Error ? error.message : String(error)) }] };
  }
  return { faults: [{ path: '', detail: 'the file must hold a map with `agents` and `triggers`' }] };
}

/** The first of each line: the others only follow from it. */
function syntaxFaults(errors: readonly YAMLError[], lineCounter: LineCounter): DefinitionFault[] {
  const faults = new Map<number, DefinitionFault>();
  for (const { pos, message } of errors) {
    const { line, col } = lineCounter.linePos(pos[0]);
    if (!faults.has(line)) faults.set(line, { path: `line ${line}, column ${col}`, detail: withHint(message) });
  }
  return [...faults.values()];
}

/** A cron expression without quotes looks like a reference to an anchor. */
function withHint(message: string): string {
  if (message.startsWith('Merge sources'))
    return 'what stands under << must be a map or a list of maps, and *NAME needs an &NAME before it';
  return /alias/i.test(message) ? `${message}; text that begins with * must be in quotes` : message;
}
