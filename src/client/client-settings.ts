import { readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { ApiAddress } from '../common/api-address.js';
import { homeFault } from '../common/home-safety.js';
import { trimEndOf } from '../common/trim-end.js';
import { defaultHome } from '../common/user-home.js';

/** Address and token of the API. */
export interface ConnectionSettings {
  api: ApiAddress;
  token: string;
}

/** Where and for whom a client reports. */
export interface ClientSettings extends ConnectionSettings {
  agentId: string;
}

/** Settings that a program may give. */
export interface GivenSettings {
  apiUrl?: string;
  token?: string;
  agentId?: string;
}

/** A setting is missing or unusable. The message says in one sentence what to set. */
export class ClientSettingError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ClientSettingError';
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Characters valid in a header. For others `fetch` would show the token in its error. */
const PRINTABLE = /^[\x21-\x7e]+$/;

/**
 * Settings from the program, otherwise from the environment. An empty string counts as absent.
 * @throws ClientSettingError
 */
export function clientSettings(given: GivenSettings, env: Environment = process.env): ClientSettings {
  const connection = connectionSettings(given, env);
  const agentId = given.agentId || env.WAYSTATION_AGENT_ID?.trim();
  if (!agentId) {
    throw new ClientSettingError('No agent to report for: give `agentId` to the client, or set WAYSTATION_AGENT_ID.');
  }
  return { ...connection, agentId };
}

/**
 * The same for callers that report for no agent.
 * @throws ClientSettingError
 */
export function connectionSettings(
  given: Omit<GivenSettings, 'agentId'>,
  env: Environment = process.env,
): ConnectionSettings {
  const apiUrl = given.apiUrl || env.WAYSTATION_API_URL?.trim();
  if (apiUrl && !isHttpUrl(apiUrl)) {
    throw new ClientSettingError('The address of Waystation (WAYSTATION_API_URL) must be an http:// or https:// URL.');
  }
  const direct = given.token || env.WAYSTATION_TOKEN?.trim();
  const file = env.WAYSTATION_TOKEN_FILE?.trim();
  const token = direct || tokenInFile(file);
  if (!token) {
    throw new ClientSettingError(
      'No token for Waystation: set WAYSTATION_TOKEN to one that `waystation token create --scope runner` prints (in a clone: `npx waystation ...`).',
    );
  }
  if (!PRINTABLE.test(token)) {
    throw new ClientSettingError('The token for Waystation (WAYSTATION_TOKEN) has characters that no token has.');
  }
  if (!direct && file && apiUrl) checkSecret(file, apiUrl);
  return { api: apiUrl ? new ApiAddress(apiUrl) : serverOf(homeOf(env)), token };
}

function tokenInFile(file: string | undefined): string | undefined {
  if (!file) return undefined;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new ClientSettingError(`The file ${file} (WAYSTATION_TOKEN_FILE) cannot be read.`);
  }
}

/** The machine secret permits everything, so a variable set by somebody else must not send it elsewhere. */
function checkSecret(file: string, apiUrl: string): void {
  const real = realpathSync(file);
  if (path.basename(real) !== '.api-secret') return;
  const own = serverOf(path.dirname(real)).current;
  if (trimEndOf(apiUrl, '/') === own) return;
  throw new ClientSettingError(
    `The machine secret (WAYSTATION_TOKEN_FILE) is sent to ${own} alone: create a token for WAYSTATION_API_URL with \`waystation token create --scope runner\`.`,
  );
}

function serverOf(home: string): ApiAddress {
  const fault = homeFault(home);
  if (fault !== null) throw new ClientSettingError(`The home of Waystation (WAYSTATION_HOME): ${fault}.`);
  return ApiAddress.ofHome(home);
}

function homeOf(env: Environment): string {
  const home = env.WAYSTATION_HOME?.trim() || defaultHome();
  if (home !== null) return home;
  throw new ClientSettingError('This user has no home directory: set WAYSTATION_API_URL, or WAYSTATION_HOME.');
}

function isHttpUrl(url: string): boolean {
  return URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
}

/** The run for which `waystation agent` started this program; empty in other programs. */
export interface GivenRun {
  thread_id?: string;
  trace_id?: string;
  agent_id?: string;
}

export function givenRun(env: Environment = process.env): GivenRun {
  const given = {
    thread_id: env.WAYSTATION_THREAD_ID?.trim(),
    trace_id: env.WAYSTATION_TRACE_ID?.trim(),
    agent_id: env.WAYSTATION_AGENT_ID?.trim(),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value));
}
