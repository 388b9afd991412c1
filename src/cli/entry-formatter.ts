import type { LogEntry, LogLevel } from '../modules/threads/logs/log-entry.js';
import { durationText, localClock, localDay } from './local-time.js';
import { printable, printableLines } from './printable.js';
import type { Format, Style } from './style.js';
import { truncate, padEnd, textWidth, wrapLines } from './text-width.js';

export interface EntryFormat {
  /** Screen width in columns; undefined for no wrapping or cutting. */
  width?: number;
  style: Style;
  /** Shows long texts in full. */
  isFull?: boolean;
}

/** Printed below entries if some were cut. */
export const TRUNCATION_NOTE = 'Some texts are cut: see --full.';

type Kind = LogEntry['kind'];

const CLOCK_WIDTH = 8;
const AGENT_WIDTH = 14;
const KIND_WIDTH = 11;
const TEXT_BEGIN = CLOCK_WIDTH + AGENT_WIDTH + KIND_WIDTH + 6;
/** On narrower screens the text goes below its heading. */
const MIN_TEXT_WIDTH = 36;
const NARROW_INDENT = 2;
const MAX_LINES = 12;
const KINDS: Record<Kind, string> = {
  user: 'user',
  assistant: 'assistant',
  thinking: 'thinking',
  tool_call: 'tool call',
  tool_result: 'tool result',
  system: 'system',
  event: 'event',
};

const LEVEL_FORMATS: Partial<Record<LogLevel, Format>> = { error: 'red', warn: 'yellow' };
const KIND_FORMATS: Partial<Record<Kind, Format>> = {
  user: 'bold',
  assistant: 'green',
  tool_call: 'cyan',
  tool_result: 'cyan',
};

/** Formats log entries of the API for people, with the date above each day's first entry. */
export class EntryFormatter {
  /** How many texts were cut. */
  truncatedCount = 0;
  private day = '';

  constructor(private readonly layout: EntryFormat) {}

  /** The lines of the next entry, with its date first if it begins a new day. */
  of(entry: LogEntry): string[] {
    const day = this.newDay(entry);
    return [...(day === null ? [] : [day]), ...this.entryLines(entry)];
  }

  /** The date line if the next entry begins a new day. */
  newDay({ ts }: LogEntry): string | null {
    const day = localDay(ts);
    if (day === '' || day === this.day) return null;
    this.day = day;
    return this.layout.style('dim', day);
  }

  /** The lines of an entry without a date line. */
  entryLines(entry: LogEntry): string[] {
    const { width } = this.layout;
    const clock = localClock(entry.ts);
    const agent = printable(entry.agent_id);
    const kind = KINDS[entry.kind] ?? printable(entry.kind);
    if (width !== undefined && width - TEXT_BEGIN < MIN_TEXT_WIDTH) {
      const head = [clock, agent, this.painted(kind, entry)].filter((part) => part !== '').join('  ');
      const indent = ' '.repeat(NARROW_INDENT);
      return [head, ...this.textLines(entry, width - NARROW_INDENT).map((line) => indent + line)];
    }
    const cells = [padEnd(clock, CLOCK_WIDTH), padEnd(truncate(agent, AGENT_WIDTH), AGENT_WIDTH)];
    const head = `${this.layout.style('dim', cells.join('  '))}  ${this.painted(padEnd(kind, KIND_WIDTH), entry)}  `;
    const [first = '', ...others] = this.textLines(entry, width === undefined ? undefined : width - TEXT_BEGIN);
    return [head + first, ...others.map((line) => (line === '' ? '' : ' '.repeat(TEXT_BEGIN) + line))];
  }

  private textLines(entry: LogEntry, width: number | undefined): string[] {
    const { style, isFull } = this.layout;
    const lines: string[] = [];
    const text = printableLines(textOf(entry));
    for (const line of wrapLines(text, width)) {
      if (lines.length === MAX_LINES && width !== undefined && !isFull) {
        lines.push(style('yellow', this.truncationNote(text, lines)));
        return lines;
      }
      lines.push(line);
    }
    const look = (line: string) => (entry.kind === 'thinking' ? style('dim', line) : line);
    return withNote(lines, noteOf(entry), width).map(([line, note]) => look(line) + style('dim', note));
  }

  private truncationNote(text: string, lines: readonly string[]): string {
    this.truncatedCount += 1;
    const shown = lines.reduce((sum, line) => sum + line.length + 1, 0);
    return `… ${Math.max(1, text.length - shown).toLocaleString('en-US')} more characters`;
  }

  private painted(text: string, { kind, level }: LogEntry): string {
    return this.layout.style(LEVEL_FORMATS[level] ?? KIND_FORMATS[kind] ?? 'dim', text);
  }
}

/** Results name their tool; calls begin with its name anyway. */
function textOf({ kind, message, tool_name }: LogEntry): string {
  return kind === 'tool_result' && tool_name !== undefined ? `${tool_name}: ${message}` : message;
}

/** What the entry cost. */
function noteOf({ tokens_in, tokens_out, duration_ms }: LogEntry): string {
  const notes = [
    ...(duration_ms === undefined ? [] : [durationText(duration_ms)]),
    ...(tokens_in === undefined ? [] : [`${tokens_in.toLocaleString('en-US')} in`]),
    ...(tokens_out === undefined ? [] : [`${tokens_out.toLocaleString('en-US')} out`]),
  ];
  return notes.length === 0 ? '' : `(${notes.join(', ')})`;
}

/** Puts the note after the last line if it fits, otherwise below. */
function withNote(lines: readonly string[], note: string, width = Infinity): [line: string, note: string][] {
  const rows = lines.map((line): [string, string] => [line, '']);
  if (note === '') return rows;
  const last = lines.at(-1) ?? '';
  if (textWidth(last) + 2 + note.length > width) return [...rows, ['', note]];
  return [...rows.slice(0, -1), [last, last === '' ? note : `  ${note}`]];
}
