import { readFileSync } from 'node:fs';
import { EncodingError, fileText } from '../common/file-text.js';
import { isReminders, REMINDERS_EXPECTED } from '../common/contract/reminders.js';
import type { ConfigFault } from './config-error.js';
import { NO_ENV_FILE, type EnvFile } from './env-file.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Inclusive bounds of a number. */
export interface NumberRange {
  min: number;
  max: number;
}

/** Reads typed values from an environment and collects all faults. An empty variable counts as absent. */
export class EnvReader {
  readonly faults: ConfigFault[] = [];

  /** @param file the part of the environment that comes from the `.env` of the working directory */
  constructor(
    private readonly env: Environment,
    private readonly file: EnvFile = NO_ENV_FILE,
  ) {}

  /** Whether the `.env` of the working directory gave the variable. */
  isOfFile(name: string): boolean {
    return this.file.taken.has(name);
  }

  /** The matching variables of the `.env` that are not allowed there. */
  refused(pattern: RegExp): string[] {
    return [...this.file.refused].filter((name) => pattern.test(name));
  }

  /** The set variables whose names match, each with the pattern's first group. */
  namesLike(pattern: RegExp): [name: string, part: string][] {
    return [...Object.keys(this.env), ...this.file.refused].flatMap((name) => {
      const part = pattern.exec(name)?.[1];
      return part === undefined || this.text(name, null) === null ? [] : [[name, part]];
    });
  }

  text<Fallback extends string | null>(name: string, fallback: Fallback): string | Fallback {
    const value = this.env[name]?.trim();
    if (value) return value;
    if (this.file.refused.has(name)) this.refuse(name);
    return fallback;
  }

  integer(name: string, fallback: number, range: NumberRange): number {
    const value = this.text(name, null);
    if (value === null) return fallback;
    const number = Number(value);
    if (/^\d{1,15}$/.test(value) && number >= range.min && number <= range.max) return number;
    return this.fault(name, `must be a whole number from ${range.min} to ${range.max}`, fallback);
  }

  choice<Value extends string>(name: string, fallback: Value, allowed: readonly Value[]): Value {
    const value = this.text(name, null);
    if (value === null) return fallback;
    const found = allowed.find((candidate) => candidate === value);
    return found ?? this.fault(name, `must be one of ${allowed.join(', ')}`, fallback);
  }

  flag(name: string, fallback: boolean): boolean {
    const names = { true: true, '1': true, yes: true, on: true, false: false, '0': false, no: false, off: false };
    const value = this.text(name, null)?.toLowerCase();
    if (value === undefined) return fallback;
    const found = Object.entries(names).find(([word]) => word === value);
    return found ? found[1] : this.fault(name, 'must be true or false', fallback);
  }

  /** Seconds separated by commas. */
  reminders(name: string, fallback: readonly number[]): readonly number[] {
    const texts = this.list(name, fallback.map(String));
    const seconds = texts.map((text) => (/^\d{1,15}$/.test(text) ? Number(text) : Number.NaN));
    return isReminders(seconds) ? seconds : this.fault(name, `must be ${REMINDERS_EXPECTED}, with commas`, fallback);
  }

  /** A comma-separated list; blanks around entries are ignored. */
  list(name: string, fallback: readonly string[]): string[] {
    const value = this.text(name, null);
    if (value === null) return [...fallback];
    return value
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '');
  }

  /** A secret from `NAME`, or from the file that `NAME_FILE` points to; giving both is a fault. */
  secret(name: string): string | null {
    const direct = this.text(name, null);
    const file = this.text(`${name}_FILE`, null);
    if (file === null) return direct;
    if (direct !== null) return this.fault(name, `must not be set together with ${name}_FILE`, null);
    try {
      return fileText(readFileSync(file)).trim() || this.fault(`${name}_FILE`, 'must name a non-empty file', null);
    } catch (error) {
      const rule = error instanceof EncodingError ? `names a file that ${error.message}` : 'must name a readable file';
      return this.fault(`${name}_FILE`, rule, null);
    }
  }

  private refuse(name: string): void {
    if (this.faults.some((fault) => fault.name === name)) return;
    this.fault(name, 'must be set in the environment, not in a .env file, which anybody may have written', null);
  }

  /** Records the fault and returns a value to continue with, so that one pass finds all faults. */
  fault<Value>(name: string, rule: string, goOnWith: Value): Value {
    this.faults.push({ name, rule });
    return goOnWith;
  }
}
