import { DEFAULT_API_URL } from '../common/api-address.js';
import { defaultHome } from '../common/user-home.js';
import type { Environment } from './env-reader.js';
import { LogConfig } from './log.config.js';

/** Settings of the agent process, besides its definition file. */
export class AgentConfig {
  /**
   * Base address of the API server (`WAYSTATION_API_URL`), without a trailing slash. Default: the address of the server of `home` at this
   * process's start.
   */
  apiUrl = DEFAULT_API_URL;

  /** Whether `apiUrl` was given. Otherwise it changes when the server of `home` moves. */
  isApiUrlGiven = false;

  /** Whether the `.env` of the working directory named `apiUrl`, or `home`. Then `apiUrl` does not change either. */
  isAddressFromFile = false;

  /**
   * The API's actual address (`WAYSTATION_API_FORWARD`), `unix:/path` or `tcp://host:port`. This process then listens at `apiUrl`, a
   * loopback address, and forwards its programs' requests. Null if `apiUrl` itself is reachable.
   */
  apiForward: string | null = null;

  /** Bearer token for the API (`WAYSTATION_TOKEN` or `WAYSTATION_TOKEN_FILE`), a secret; null means the machine secret of this user. */
  token: string | null = null;

  /** Address that the webhook ports bind to (`WAYSTATION_AGENT_HOST`). Other than loopback opens them to other machines. */
  host = '127.0.0.1';

  /** Port of `/invoke` and of webhooks without their own (`WAYSTATION_AGENT_PORT`), 0 to 65535; 0 takes any free port. */
  port = 9100;

  /**
   * Base address at which the API reaches `/invoke` of this process (`WAYSTATION_AGENT_URL`), if ports are forwarded;
   * null means the address and port that it listens on.
   */
  publicUrl: string | null = null;

  /** Host ports that lead to this process's ports in a container (`WAYSTATION_OUTSIDE_PORTS`), printed instead of those. */
  outsidePorts: ReadonlyMap<number, number> = new Map();

  /** The API's address outside the container (`WAYSTATION_OUTSIDE_API_URL`), for messages; null for `apiUrl`. */
  outsideApiUrl: string | null = null;

  /** Host names accepted in the Host header besides loopback names, addresses and `host` (`WAYSTATION_ALLOWED_HOSTS`). */
  allowedHosts: string[] = [];

  /** Per-user directory (`WAYSTATION_HOME`). */
  home = defaultHome() ?? '';

  /** Folder of the ledger, the runs and the spool (`WAYSTATION_STATE_DIR`); null means one per definition file, in `home`. */
  stateDir: string | null = null;

  /**
   * Seconds without contact after which another process may take over a run (`WAYSTATION_RUN_LEASE_SECONDS`), 5 to 3600. The process
   * renews its claim after a third of that.
   */
  leaseTtlSeconds = 60;

  /** Milliseconds for runs and requests to finish at shutdown (`WAYSTATION_SHUTDOWN_TIMEOUT_MS`); 0 cuts them off at once. */
  shutdownTimeoutMs = 10_000;

  /** Source of `${NAME}` in the definition file and of the programs' environment. Contains secrets. */
  variables: Environment = {};

  /** Whether the programs' standard error is logged, too; set only on the command line. */
  isVerbose = false;

  /** Whether changes of the definition file are applied; set only on the command line. */
  isWatching = false;

  log = new LogConfig();
}
