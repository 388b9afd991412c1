import { pino, type DestinationStream } from 'pino';
import { loggedError } from './logged-error.js';
import { prettyStream, type SentenceOf } from './pretty-stream.js';
import { requestContext } from './request-context.js';

/**
 * Structured facts of a log line, in snake_case; an error goes under `err`. Never a message body, a token or any other secret.
 */
export type LogFields = Record<string, unknown>;

/** A log method takes facts and the event's name, or the name alone. */
export interface LogMethod {
  (fields: LogFields, event: string): void;
  (event: string): void;
}

/**
 * The structured log: one line per event. At level debug and below all lines written while serving a request carry its
 * `request_id`; above it those about the request itself do, and others should name their thread and trace.
 * `error` means that someone must act, `warn` that someone may want to know; callers' mistakes are `info`.
 */
export abstract class Logger {
  abstract readonly trace: LogMethod;
  abstract readonly debug: LogMethod;
  abstract readonly info: LogMethod;
  abstract readonly warn: LogMethod;
  abstract readonly error: LogMethod;
  abstract readonly fatal: LogMethod;

  /** Whether lines of this level are written. Check it before gathering costly facts. */
  abstract isLevelEnabled(level: string): boolean;
}

export interface LoggerOptions {
  /** The lowest level that is written; `silent` writes nothing. */
  level: string;
  /** Lines for people instead of JSON. */
  isPretty: boolean;
  /** With `isPretty`: a sentence for an event whose name and facts are unclear to people; null for any other event. */
  sentenceOf?: SentenceOf;
  /** Destination of the lines. Default: standard error. */
  destination?: DestinationStream;
}

export function createLogger({ level, isPretty, sentenceOf, destination }: LoggerOptions): Logger {
  const target = destination ?? pino.destination({ dest: 2, sync: true });
  return pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: loggedError },
      formatters: { level: (label) => ({ level: label }) },
      mixin: () => {
        const request = requestContext.getStore();
        return request === undefined ? {} : { request_id: request.requestId };
      },
    },
    isPretty ? prettyStream(target, sentenceOf) : target,
  );
}
