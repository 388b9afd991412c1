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
  if (document.errors.length > 0) return { faults: document.errors.map((error) => syntaxFault(error, lineCounter)) };
  try {
    const value: unknown = document.toJS({ mapAsMap: true, maxAliasCount: MAX_ALIASES });
    if (value instanceof Map) return { map: value };
  } catch (error) {
    // An alias without its anchor, most of all: `*/5` without quotes is one.
    const detail = `${error instanceof Error ? error.message : String(error)}; text that begins with * must be in quotes`;
    return { faults: [{ path: '', detail }] };
  }
  return { faults: [{ path: '', detail: 'the file must hold a map with `agents` and `triggers`' }] };
}

function syntaxFault({ pos, message }: YAMLError, lineCounter: LineCounter): DefinitionFault {
  const { line, col } = lineCounter.linePos(pos[0]);
  return { path: `line ${line}, column ${col}`, detail: message };
}
