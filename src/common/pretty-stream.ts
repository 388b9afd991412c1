import type { DestinationStream } from 'pino';
import { escapeInvisible } from './invisible-characters.js';

interface LogLine extends Record<string, unknown> {
  time: string;
  level: string;
  msg?: string;
  err?: { message?: string; stack?: string };
}

/** A sentence for people replacing an event's name and facts; null for other events. */
export type SentenceOf = (event: string, fields: Readonly<Record<string, unknown>>) => string | null;

/** Levels that are printed; most lines have others. */
const NAMED = new Set(['warn', 'error', 'fatal']);

/**
 * Rewrites JSON log lines for people: the local time, the level if it matters, the event, then the facts as `key=value`, or a sentence.
 * Facts may come from programs and requests, so control characters are escaped.
 */
export function prettyStream(target: DestinationStream, sentenceOf: SentenceOf = () => null): DestinationStream {
  return { write: (line) => target.write(prettyLine(line, sentenceOf)) };
}

function prettyLine(line: string, sentenceOf: SentenceOf): string {
  const { time, level, msg = '', err, ...fields } = JSON.parse(line) as LogLine;
  const facts = Object.entries(fields).map(([key, value]) => ` ${key}=${asText(value)}`);
  const reason = err?.message === undefined || err.stack ? '' : `: ${err.message}`;
  const words = escapeInvisible(sentenceOf(msg, fields) ?? `${msg}${reason}${facts.join('')}`);
  const stack = err?.stack ? `\n${escapeInvisible(err.stack, '\n')}` : '';
  return `${clockOf(time)} ${NAMED.has(level) ? `${level.toUpperCase().padEnd(5)} ` : ''}${words}${stack}\n`;
}

function clockOf(iso: string): string {
  const time = new Date(iso);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

function asText(value: unknown): string {
  return typeof value === 'string' && !/[\s"=]/.test(value) ? value : JSON.stringify(value);
}
