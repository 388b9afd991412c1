import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { shellWord } from '../common/shell-word.js';
import { errorCode } from '../common/error-code.js';
import { makeFolder } from '../common/make-folder.js';
import type { AppConfig } from './app-config.js';
import { ConfigError } from './config-error.js';

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOTDIR: 'a part of the path is a file, not a folder',
  EACCES: 'this user may not read it',
  EISDIR: 'it is a folder',
};
const SECRET_BYTES = 32;
const PRINTABLE = /^[\x21-\x7e]{32,512}$/;

/** The machine secret, which permits everything. Never logged, never in a response. */
export class ApiSecret {
  constructor(
    readonly value: string,
    /** The file it was read from. */
    readonly file: string,
  ) {}
}

/** The file of the machine secret in this configuration. */
export function apiSecretFile({ server, security }: AppConfig): string {
  return security.secretFile ?? path.join(server.home, '.api-secret');
}

/**
 * Reads the machine secret, and creates it if it is missing.
 * @throws ConfigError when the file is readable by others or unusable, or is required but missing
 */
export function loadApiSecret(config: AppConfig): ApiSecret {
  const file = apiSecretFile(config);
  const isShared = config.database.url !== null && config.security.secretFile !== null;
  if (!isShared && findApiSecret(config) === null) createSecret(file);
  return readApiSecret(config);
}

/**
 * The machine secret; null if there is none yet.
 * @throws ConfigError when the file cannot be used
 */
export function findApiSecret(config: AppConfig): ApiSecret | null {
  const file = apiSecretFile(config);
  const isForeign = config.server.isHomeFromFile && config.security.secretFile === null;
  if (isForeign) refuseLink(file);
  const value = findSecret(file);
  return value === null ? null : new ApiSecret(value, file);
}

/**
 * Reads the machine secret without ever creating it.
 * @throws ConfigError as `loadApiSecret` does, and when there is none.
 */
export function readApiSecret(config: AppConfig): ApiSecret {
  const secret = findApiSecret(config);
  if (secret !== null) return secret;
  throw secretFault(
    `${apiSecretFile(config)} does not exist; \`waystation serve\` creates it unless several instances share one database`,
  );
}

/** Somebody else's folder must not pass off a secret from elsewhere as its own. */
function refuseLink(file: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined || (found.isFile() && found.nlink === 1)) return;
  throw secretFault(`${file} is a link, which does not count where a .env names the home`);
}

function findSecret(file: string): string | null {
  let mode: number;
  let content: string;
  try {
    mode = statSync(file).mode;
    content = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    const code = errorCode(error) ?? 'unknown error';
    throw secretFault(`${file} cannot be read: ${UNREADABLE[code] ?? code}`);
  }
  // Windows has no permission bits; the user's profile folder protects the file there.
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw secretFault(`${file} can be read by other users; fix it with: chmod 600 ${shellWord(file)}`);
  }
  if (!PRINTABLE.test(content)) throw secretFault(`${file} must contain 32 to 512 printable characters without spaces`);
  return content;
}

/**
 * Processes that start at the same moment must agree on one secret, and none may see a half-written file: the content is
 * complete on disk before the name appears, and linking fails for all but the first.
 */
function createSecret(file: string): void {
  const draft = `${file}.${process.pid}.${randomBytes(6).toString('hex')}`;
  try {
    makeFolder(path.dirname(file), 0o700);
    writeDurably(draft, `${randomBytes(SECRET_BYTES).toString('hex')}\n`);
    try {
      linkSync(draft, file);
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    } finally {
      unlinkSync(draft);
    }
  } catch (error) {
    const remedy = 'set WAYSTATION_HOME to a folder in which this user may write';
    throw secretFault(`${file} cannot be created (${errorCode(error)}); ${remedy}`);
  }
}

function writeDurably(file: string, content: string): void {
  const handle = openSync(file, 'wx', 0o600);
  try {
    writeSync(handle, content);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function secretFault(rule: string): ConfigError {
  return new ConfigError([{ name: 'machine secret', rule }]);
}
