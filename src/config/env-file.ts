import { readFileSync, statSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { errorCode } from '../common/error-code.js';
import { ConfigError } from './config-error.js';

const FILE = '.env';
/** What Waystation and its PostgreSQL driver read. */
const OWN_NAMES = /^(WAYSTATION_|DATABASE_URL$|PG)/;

const loaded = new Set<string>();

/**
 * Adds `.env` of the working directory to the variables if it is a file; a folder of that name usually holds Python. Variables that are
 * already set take precedence.
 * @param isOwnFolder whether the command runs the programs of this folder. For other commands it may be anybody's: they take the
 * settings of Waystation alone, because others (`EDITOR`, `BROWSER`) name programs that would be started.
 * @throws ConfigError when it cannot be read
 */
export function addEnvFile(variables: NodeJS.ProcessEnv, isOwnFolder: boolean): void {
  for (const [name, value] of Object.entries(readEnvFile())) {
    if (variables[name] !== undefined || !(isOwnFolder || OWN_NAMES.test(name))) continue;
    variables[name] = value;
    loaded.add(name);
  }
}

/** The variables that came from `.env`. */
export function envFileNames(): ReadonlySet<string> {
  return loaded;
}

function readEnvFile(): NodeJS.Dict<string> {
  if (!statSync(FILE, { throwIfNoEntry: false })?.isFile()) return {};
  try {
    return parseEnv(readFileSync(FILE, 'utf8'));
  } catch (error) {
    throw new ConfigError([{ name: FILE, rule: `cannot be read (${errorCode(error)})` }]);
  }
}
