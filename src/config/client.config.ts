import { defaultHome } from '../common/user-home.js';
import { DEFAULT_API_URL } from '../common/api-address.js';

/** How the command line reaches a running API server. */
export class ClientConfig {
  /** Base address of the API server (`WAYSTATION_API_URL`), without a trailing slash. Default: that of the server of `home`. */
  apiUrl = DEFAULT_API_URL;

  /** Whether `apiUrl` was given. Otherwise it belongs to this user's server on this machine. */
  isApiUrlGiven = false;

  /** Whether the `.env` of the working directory named `apiUrl`, or `home`. */
  isAddressFromFile = false;

  /**
   * The origin under which people reach the server (`WAYSTATION_PUBLIC_URL`, or as published by the server of `home`), without a trailing
   * slash; null if that is `apiUrl`.
   */
  publicUrl: string | null = null;

  /** Per-user directory (`WAYSTATION_HOME`). */
  home = defaultHome() ?? '';

  /** Bearer token (`WAYSTATION_TOKEN` or `WAYSTATION_TOKEN_FILE`), a secret; null means the machine secret of this user. */
  token: string | null = null;
}
