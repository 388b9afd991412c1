import { readFileSync, statSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { errorCode } from '../common/error-code.js';
import { EncodingError, fileText } from '../common/file-text.js';
import { ConfigError } from './config-error.js';

const FILE = '.env';
const MAX_BYTES = 1024 * 1024;
const OWN_NAME = /^(WAYSTATION_|DATABASE_URL$|DATABASE_URL_FILE$)/;
/** Settings of the PostgreSQL driver; they accompany the database named in the same file. */
const OF_DATABASE = /^PG[A-Z]/;
/**
 * The file is untrusted. It may not name a file whose content would be sent, code that would run, or an address that would receive a
 * secret from elsewhere.
 */
const ONLY_OF_ENVIRONMENT = /_FILE$|^WAYSTATION_(BASE_IMAGE|API_FORWARD|(?!OUTSIDE_)[A-Z0-9_]+_API_URL)$/;

/** The `.env` file of the working directory. */
export interface EnvFile {
  /** Variables taken from the file. */
  readonly taken: ReadonlySet<string>;
  /** Variables that only the file sets but may not. */
  readonly refused: ReadonlySet<string>;
}

export const NO_ENV_FILE: EnvFile = { taken: new Set(), refused: new Set() };

let loaded = NO_ENV_FILE;

/**
 * Adds the settings of Waystation in `.env` of the working directory to the variables if it is a file; a folder of that name usually holds
 * Python. Ignores other names, because many name programs and libraries to start. Variables that are already set take precedence; empty
 * ones in the file count as absent.
 * @throws ConfigError when it cannot be read
 */
export function addEnvFile(variables: NodeJS.ProcessEnv): void {
  const said = Object.entries(readEnvFile()).filter(
    ([name, value]) =>
      variables[name] === undefined && !!value?.trim() && (OWN_NAME.test(name) || OF_DATABASE.test(name)),
  );
  const isDatabaseNamed = said.some(([name]) => name === 'DATABASE_URL');
  const isRefused = (name: string) => ONLY_OF_ENVIRONMENT.test(name) || (OF_DATABASE.test(name) && !isDatabaseNamed);
  const taken = said.filter(([name]) => !isRefused(name));
  for (const [name, value] of taken) variables[name] = value;
  const names = said.map(([name]) => name);
  loaded = { taken: new Set(taken.map(([name]) => name)), refused: new Set(names.filter(isRefused)) };
}

/** The findings of `addEnvFile` in this process. */
export function envFile(): EnvFile {
  return loaded;
}

/** The same without names that this process sets otherwise. */
export function envFileWithout(names: readonly string[]): EnvFile {
  const others = (set: ReadonlySet<string>) => new Set([...set].filter((name) => !names.includes(name)));
  return { taken: others(loaded.taken), refused: others(loaded.refused) };
}

function readEnvFile(): NodeJS.Dict<string> {
  const found = statSync(FILE, { throwIfNoEntry: false });
  if (!found?.isFile()) return {};
  if (found.size > MAX_BYTES)
    throw new ConfigError([{ name: FILE, rule: `must not be larger than ${MAX_BYTES} bytes` }]);
  try {
    return parseEnv(fileText(readFileSync(FILE)));
  } catch (error) {
    const rule = error instanceof EncodingError ? error.message : `cannot be read (${errorCode(error)})`;
    throw new ConfigError([{ name: FILE, rule }]);
  }
}
