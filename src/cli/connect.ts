import { readApiSecret } from '../config/api-secret.js';
import { loadClientConfig, loadConfig } from '../config/env.js';
import { ApiClient } from './api-client.js';

/**
 * A client of the API server that the environment names, with the token from there or else the machine secret.
 * @throws ConfigError when neither can be used
 */
export function connect(): ApiClient {
  const { apiUrl, token } = loadClientConfig();
  return new ApiClient(apiUrl, token ?? readApiSecret(loadConfig()).value);
}
