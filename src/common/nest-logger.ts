import type { LoggerService } from '@nestjs/common';
import type { Logger } from './logger.js';

/** These parts of the framework log errors that they also throw. The entry point reports those for people. */
const THROWING = new Set(['ExceptionHandler', 'NestApplication']);

/** Writes the framework's own lines to the structured log. Its lines at start are at debug level. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.logger.debug(fields(rest), String(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    const context = fields(rest);
    const facts = message instanceof Error ? { ...context, err: message } : context;
    const isThrownAsWell = THROWING.has(String(context.context));
    this.logger[isThrownAsWell ? 'debug' : 'error'](
      facts,
      message instanceof Error ? message.message : String(message),
    );
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.logger.warn(fields(rest), String(message));
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.logger.trace(fields(rest), String(message));
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.logger.trace(fields(rest), String(message));
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.logger.fatal(fields(rest), String(message));
  }
}

/** The framework passes the name of the logging class last, and for errors a stack before it. */
function fields(rest: readonly unknown[]): { context?: unknown; stack?: unknown } {
  if (rest.length === 0) return {};
  const [context, stack] = [...rest].reverse();
  return stack === undefined ? { context } : { context, stack };
}
