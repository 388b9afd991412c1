/** Proxies on the way to the platforms; null for none. */
export interface ProxySettings {
  /** For `http:` (`HTTP_PROXY`); may hold a secret. */
  readonly http: string | null;
  /** For `https:` (`HTTPS_PROXY`); may hold a secret. */
  readonly https: string | null;
  /** Names of hosts that are reached without, separated by commas (`NO_PROXY`). */
  readonly exceptions: string | null;
}

export const NO_PROXIES: ProxySettings = { http: null, https: null, exceptions: null };

/** How to reach the messaging platforms. */
export class ChannelsConfig {
  /**
   * Base addresses of the platforms' APIs, by channel type, without a trailing slash (`WAYSTATION_TELEGRAM_API_URL` and the like).
   * Platforms that are absent have their default address.
   */
  apiUrls: Readonly<Record<string, string>> = {};

  /** Milliseconds that a platform may take to answer (`WAYSTATION_PLATFORM_TIMEOUT_MS`); polling adds its own wait. */
  platformTimeoutMs = 15_000;

  /** Bytes of a file of a chat that agents may fetch (`WAYSTATION_ATTACHMENT_MAX_BYTES`). Telegram gives no more than 20 MiB. */
  attachmentMaxBytes = 20 * 1024 * 1024;

  /** Bytes of a file that an agent sends to a chat: Telegram takes no more. */
  sentFileMaxBytes = 50 * 1024 * 1024;

  /** Bytes of all files of agents that wait for their chats. */
  sentFilesMaxBytes = 512 * 1024 * 1024;

  /**
   * Milliseconds that a message waits for its next part (`WAYSTATION_GATHER_MS`), and five times as long in all: albums, long pastes,
   * forwards. 0 starts a run for each part at once.
   */
  gatherMs = 2_000;

  proxies = NO_PROXIES;
}
