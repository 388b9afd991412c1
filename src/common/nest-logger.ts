import type { LoggerService } from '@nestjs/common';
import type { Logger } from './logger.js';

/** Parts of the framework that log what they throw: the entry point says it in plain words. */
const THROWING = new Set(['ExceptionHandler', 'NestApplication']);

/** Lets the framework's own lines into the structured log. What it tells at start is of interest only while debugging. */
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

/** The framework passes the name of the class that speaks last, and for errors a stack before it. */
function fields(rest: readonly unknown[]): { context?: unknown; stack?: unknown } {
  if (rest.length === 0) return {};
  const [context, stack] = [...rest].reverse();
  return stack === undefined ? { context } : { context, stack };
}
