import os from 'node:os';
import path from 'node:path';
import type { Environment } from './env-reader.js';
import { LogConfig } from './log.config.js';

/** What the agent process can be told from outside, besides its definition file. */
export class AgentConfig {
  /** Base address of the API server (`WAYSTATION_API_URL`), without a trailing slash. */
  apiUrl = 'http://127.0.0.1:8000';

  /**
   * Where the API really is (`WAYSTATION_API_FORWARD`), `unix:/path` of a socket or `tcp://host:port`, when `apiUrl` is a loopback
   * address at which this process shall listen for its programs and forward what comes; null where `apiUrl` is reached as it is.
   */
  apiForward: string | null = null;

  /** Bearer token for the API (`WAYSTATION_TOKEN` or `WAYSTATION_TOKEN_FILE`), a secret; null means the machine secret of this user. */
  token: string | null = null;

  /** Address that the webhook ports bind to (`WAYSTATION_AGENT_HOST`). Anything but loopback opens them to other machines. */
  host = '127.0.0.1';

  /** Port of `/invoke` and of the webhooks that name none (`WAYSTATION_AGENT_PORT`), 0 to 65535; 0 takes any free port. */
  port = 9100;

  /**
   * Base address under which the API reaches `/invoke` of this process (`WAYSTATION_AGENT_URL`), where ports are forwarded;
   * null means the address and port that it listens on.
   */
  publicUrl: string | null = null;

  /** Host names accepted in the Host header besides loopback names, addresses and `host` (`WAYSTATION_ALLOWED_HOSTS`). */
  allowedHosts: string[] = [];

  /** Per-user directory (`WAYSTATION_HOME`). */
  home = path.join(os.homedir(), '.waystation');

  /** Folder of the ledger, the runs and the spool (`WAYSTATION_STATE_DIR`); null means one for each definition file, in `home`. */
  stateDir: string | null = null;

  /** Milliseconds that runs and requests get to finish at shutdown (`WAYSTATION_SHUTDOWN_TIMEOUT_MS`); 0 cuts them off at once. */
  shutdownTimeoutMs = 10_000;

  /** What `${NAME}` in the definition file and the programs' own environment are taken from. Holds secrets. */
  variables: Environment = {};

  log = new LogConfig();
}
