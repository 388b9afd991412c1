/** `fault`: something does not work or soon will not. `warning`: somebody should look. */
export type FindingLevel = 'ok' | 'warning' | 'fault';

export interface Finding {
  /** The name of the check: stable, for programs. */
  check: string;
  level: FindingLevel;
  /** The finding; never a secret. */
  message: string;
  /** What to do; null if nothing. */
  remedy: string | null;
}

export function fine(check: string, message: string): Finding {
  return { check, level: 'ok', message, remedy: null };
}

export function warning(check: string, message: string, remedy: string): Finding {
  return { check, level: 'warning', message, remedy };
}

export function fault(check: string, message: string, remedy: string): Finding {
  return { check, level: 'fault', message, remedy };
}
