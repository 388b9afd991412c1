import { LineCounter, parseDocument, type YAMLError } from 'yaml';
import type { DefinitionFault } from './definition-error.js';
import type { FileMap } from './fields.js';

/** References to anchors that may be followed, so that a small file cannot become a huge one. */
const MAX_ALIASES = 100;

/**
 * Reads YAML, of which JSON is a part. Maps keep the order of the file, because the first agent is the entry agent.
 * Answers the map at the top, or the faults.
 */
export function parseDefinitionText(text: string): { map: FileMap } | { faults: DefinitionFault[] } {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false, version: '1.2' });
  if (document.errors.length > 0) return { faults: syntaxFaults(document.errors, lineCounter) };
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
  return /alias/i.test(message) ? `${message}; text that begins with * must be in quotes` : message;
}
