/** How the command line reaches a running API server. */
export class ClientConfig {
  /** Base address of the API server (`WAYSTATION_API_URL`), without a trailing slash. */
  apiUrl = 'http://127.0.0.1:8000';

  /** Bearer token (`WAYSTATION_TOKEN` or `WAYSTATION_TOKEN_FILE`), a secret; null means the machine secret of this user. */
  token: string | null = null;
}
