import type { DestinationStream } from 'pino';

interface LogLine extends Record<string, unknown> {
  time: string;
  level: string;
  msg?: string;
  err?: { stack?: string };
}

/** Rewrites JSON log lines for people: time, level, event, then the facts as `key=value`. */
export function prettyStream(target: DestinationStream): DestinationStream {
  return { write: (line) => target.write(prettyLine(line)) };
}

export function prettyLine(line: string): string {
  const { time, level, msg, err, ...fields } = JSON.parse(line) as LogLine;
  const facts = Object.entries(fields).map(([key, value]) => ` ${key}=${asText(value)}`);
  const stack = err?.stack ? `\n${err.stack}` : '';
  return `${time.slice(11, 23)} ${level.toUpperCase().padEnd(5)} ${msg ?? ''}${facts.join('')}${stack}\n`;
}

function asText(value: unknown): string {
  return typeof value === 'string' && !/[\s"=]/.test(value) ? value : JSON.stringify(value);
}
