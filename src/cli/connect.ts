import { loadApiSecret, readApiSecret, type ApiSecret } from '../config/api-secret.js';
import type { ClientConfig } from '../config/client.config.js';
import { ConfigError } from '../config/config-error.js';
import { loadClientConfig, loadConfig } from '../config/env.js';
import { isLoopbackUrl } from '../config/loopback.js';
import { ApiClient } from './api-client.js';

/**
 * A client of the API server that the environment names, with the token from there or else the machine secret.
 * @throws ConfigError when neither can be used
 */
export function connect(): ApiClient {
  const { apiUrl, token } = apiAccess();
  return new ApiClient(apiUrl, token);
}

/**
 * The address without a trailing slash, and the token.
 * @throws ConfigError as `connect`
 */
export function apiAccess(): { apiUrl: string; token: string } {
  const client = loadClientConfig();
  return { apiUrl: client.apiUrl, token: tokenOf(client, () => readApiSecret(loadConfig())) };
}

/**
 * The same token for a process that may be the first on this machine: it makes the secret where there is none yet.
 * @throws ConfigError as `connect`
 */
export function tokenFor(client: ClientConfig): string {
  return tokenOf(client, () => loadApiSecret(loadConfig()));
}

/** The machine secret opens everything, and an address may come from the `.env` of any folder: never send it to another machine. */
function tokenOf({ apiUrl, isApiUrlGiven, token }: ClientConfig, secret: () => ApiSecret): string {
  if (token !== null) return token;
  if (!isApiUrlGiven || isLoopbackUrl(apiUrl)) return secret().value;
  const rule = "must be set if WAYSTATION_API_URL leads to another machine; this machine's secret is not sent there";
  throw new ConfigError([{ name: 'WAYSTATION_TOKEN', rule }]);
}
