import { isTooLargeToShow, parseJson, shortenStrings } from './json-text.js';
import type { LogDraft } from './log-draft.js';
import { readMessage } from './message-shapes.js';

export const SPEAKERS = ['user', 'assistant', 'system', 'tool', 'other'] as const;

type Speaker = (typeof SPEAKERS)[number];

export interface LastMessage {
  /** `tool` for a call's result; `other` for a message of unknown shape. */
  role: Speaker;
  /** On one line, at most `MAX_SAID` UTF-16 units. */
  text: string;
}

/** UTF-16 units. */
export const MAX_SAID = 200;

/** Characters. Longer messages are read with their long strings cut, so that a report costs the same however much a tool returns. */
const READ_WHOLE = 4_096;
/** Characters kept of each string of such a message: white space is dropped, and an escape takes six characters for one. */
const STRING_KEPT = 1_500;
/** Characters of a message with its strings cut; the rest is not read. */
const MAX_READ = 65_536;

/** Most characters read of a text to show its beginning. */
const MOST = 4 * STRING_KEPT;

/** In order of preference: words say more than calls. */
const KINDS: readonly LogDraft['kind'][] = [
  'assistant',
  'user',
  'system',
  'tool_result',
  'tool_call',
  'thinking',
  'event',
];
const SPEAKER_OF: Record<LogDraft['kind'], Speaker> = {
  assistant: 'assistant',
  user: 'user',
  system: 'system',
  tool_result: 'tool',
  tool_call: 'assistant',
  thinking: 'assistant',
  event: 'other',
};

/**
 * What lists show of a message; null for anything else.
 * @param messageText the message's exact JSON text. Invalid or too large text shows its beginning. Never throws.
 */
export function lastMessageOf(messageText: string): LastMessage | null {
  const drafts = draftsOf(messageText);
  if (drafts.length === 0) return null;
  for (const kind of KINDS) {
    const ofKind = drafts.filter((draft) => draft.kind === kind);
    const said = ofKind.length === 0 ? '' : onOneLine(ofKind.map(textOf).join(' '));
    if (said !== '') return { role: SPEAKER_OF[kind], text: said };
  }
  return { role: SPEAKER_OF[drafts[0]?.kind ?? 'event'], text: '' };
}

function draftsOf(messageText: string): readonly LogDraft[] {
  try {
    return readMessage(parseJson(readable(messageText)));
  } catch {
    return [{ kind: 'event', level: 'info', message: messageText.slice(0, STRING_KEPT) }];
  }
}

/** @throws Error for a message that is too large to read */
function readable(messageText: string): string {
  if (messageText.length <= READ_WHOLE) return messageText;
  const shortened = isTooLargeToShow(messageText) ? null : shortenStrings(messageText, STRING_KEPT, MAX_READ);
  if (shortened === null) throw new Error('too large');
  return shortened;
}

function textOf(draft: LogDraft): string {
  return draft.kind === 'tool_call' ? `${draft.name ?? 'tool'}(${draft.arguments})` : draft.message;
}

/** Cuts no code point in two. */
function onOneLine(text: string): string {
  const beginning = collapsed(text.slice(0, 2 * MAX_SAID));
  // Much of it may be white space.
  const line = beginning.length > MAX_SAID || text.length <= 2 * MAX_SAID ? beginning : collapsed(text.slice(0, MOST));
  if (line.length <= MAX_SAID) return line;
  const cut = line.slice(0, MAX_SAID - 1).replace(/[\uD800-\uDBFF]$/, '');
  return `${cut.trimEnd()}…`;
}

function collapsed(text: string): string {
  return text.replaceAll(/\s\s+|[^\S ]/g, ' ').trim();
}
