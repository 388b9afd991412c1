import { ApiAddress } from '../common/api-address.js';
import { apiSecretFile, findApiSecret, loadApiSecret, readApiSecret, type ApiSecret } from '../config/api-secret.js';
import type { AgentConfig } from '../config/agent.config.js';
import type { AppConfig } from '../config/app-config.js';
import type { ClientConfig } from '../config/client.config.js';
import { ConfigError } from '../config/config-error.js';
import { loadClientConfig, loadConfig } from '../config/env.js';
import { isLoopbackUrl } from '../config/loopback.js';
import { ApiClient, type TokenOrigin } from './api-client.js';
import { CliError } from './cli-error.js';

/**
 * A client of the API server that the environment names, with the token from there or otherwise the machine secret.
 * @throws ConfigError when neither can be used
 */
export function connect(): ApiClient {
  const client = loadClientConfig();
  // Anybody may have written a home directory into a `.env`: no token follows its server to another address.
  const address = new ApiAddress(client.apiUrl, followsHome(client) ? client.home : null);
  const token = tokenOf(client);
  return new ApiClient(address, token, originOf(client));
}

function originOf(client: ClientConfig): TokenOrigin {
  if (client.token === null)
    return { name: `the machine secret in ${apiSecretFile(loadConfig())}`, isReplaceable: false };
  return { name: 'WAYSTATION_TOKEN', isReplaceable: hasSecretFor(client) };
}

function hasSecretFor(client: ClientConfig): boolean {
  try {
    return tokenOf({ ...client, token: null }) !== '';
  } catch {
    return false;
  }
}

/**
 * The address without a trailing slash, and the token.
 * @throws ConfigError as `connect`
 */
export function apiAccess(): { apiUrl: string; token: string } {
  const client = loadClientConfig();
  return { apiUrl: client.apiUrl, token: tokenOf(client) };
}

function tokenOf(client: ClientConfig): string {
  return client.token ?? machineSecret(client, secretOfServer);
}

/** @throws CliError when no server has run here yet, ConfigError as `readApiSecret` */
function secretOfServer(config: AppConfig): ApiSecret {
  const isPrivate = config.database.url === null && config.security.secretFile === null;
  const secret = isPrivate ? findApiSecret(config) : readApiSecret(config);
  if (secret !== null) return secret;
  const rule = 'Start one with `waystation serve`, or set WAYSTATION_API_URL and WAYSTATION_TOKEN.';
  throw new CliError(`No API server has run here yet: there is no ${apiSecretFile(config)}. ${rule}`);
}

/** Whether the address may follow the server of the home directory. */
function followsHome({ isApiUrlGiven, isAddressFromFile }: ClientConfig): boolean {
  return !isApiUrlGiven && !isAddressFromFile;
}

/**
 * The same token for a process that may be the first on this machine: creates the secret if there is none yet.
 * @throws ConfigError as `connect`
 */
export function tokenFor(agent: AgentConfig): string {
  return agent.token ?? machineSecret(agent, loadApiSecret);
}

/**
 * The machine secret permits everything. It goes only to the server of its home directory or, if an environment variable names the
 * address, to this machine. An address from a `.env` has been checked while reading the configuration.
 */
function machineSecret(
  { apiUrl, isApiUrlGiven, isAddressFromFile }: ClientConfig | AgentConfig,
  load: (config: AppConfig) => ApiSecret,
): string {
  if (!isApiUrlGiven || isAddressFromFile || isLoopbackUrl(apiUrl)) return load(loadConfig()).value;
  const rule = "must be set if the server runs on another machine; this machine's secret is not sent there";
  throw new ConfigError([{ name: 'WAYSTATION_TOKEN', rule }]);
}
