import { isLoopbackUrl } from './loopback.js';
import { defaultHome } from '../common/user-home.js';

/** Where the API server listens and keeps its files. */
export class ServerConfig {
  /** Address to bind to (`WAYSTATION_HOST`). Anything but loopback opens the server to other machines. */
  host = '127.0.0.1';

  /** TCP port (`WAYSTATION_PORT`), 0 to 65535; 0 takes any free port. */
  port = 8000;

  /** Per-user directory (`WAYSTATION_HOME`) that holds `.api-secret` and the embedded database; created with mode 0700. */
  home = defaultHome() ?? '';

  /** Whether the `.env` of the working directory named `home`: such a file is untrusted. */
  isHomeFromFile = false;

  /**
   * Host names accepted in the Host header besides loopback names and `host` (`WAYSTATION_ALLOWED_HOSTS`, comma-separated,
   * without port). Empty: only those.
   */
  allowedHosts: string[] = [];

  /**
   * The origin under which people reach the server (`WAYSTATION_PUBLIC_URL`), such as `https://waystation.example.com`: scheme, name and,
   * unless it is the default, port. Its name is accepted in the Host header. Null if they use the server's own address.
   */
  publicUrl: string | null = null;

  /** Milliseconds for requests in flight to finish at shutdown (`WAYSTATION_SHUTDOWN_TIMEOUT_MS`); 0 cuts them off at once. */
  shutdownTimeoutMs = 10_000;

  /**
   * TCP port of a second listener that serves only the receiver of the messaging platforms, for tunnels and reverse proxies
   * (`WAYSTATION_RECEIVER_PORT`), 0 to 65535; 0 takes any free port, null opens none.
   */
  receiverPort: number | null = null;

  /** Address that the second listener binds to (`WAYSTATION_RECEIVER_HOST`). */
  receiverHost = '127.0.0.1';
}

/** Whether other machines may reach the server: a public address or receiver port suggests a tunnel. */
export function isReachable({ host, publicUrl, receiverPort }: ServerConfig): boolean {
  return (
    publicUrl !== null || receiverPort !== null || !isLoopbackUrl(`http://${host.includes(':') ? `[${host}]` : host}`)
  );
}
