export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** What is logged, and how. Logs go to standard error. */
export class LogConfig {
  /** Lowest level that is written (`WAYSTATION_LOG_LEVEL`); `silent` writes nothing. */
  level: LogLevel = 'info';

  /** Lines for people instead of JSON (`WAYSTATION_LOG_PRETTY`). Default: if standard error is a terminal. */
  isPretty = false;
}
