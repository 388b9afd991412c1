/** `fault`: it does not work, or will not for long. `warning`: somebody should look. */
export type FindingLevel = 'ok' | 'warning' | 'fault';

export interface Finding {
  /** What was looked at: stable, for programs. */
  check: string;
  level: FindingLevel;
  /** What was seen; never a secret. */
  message: string;
  /** What to do; null where nothing is to be done. */
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
