/** Proxies on the way to the platforms; null for none. */
export interface ProxySettings {
  /** For `http:` (`HTTP_PROXY`); may hold a secret. */
  readonly http: string | null;
  /** For `https:` (`HTTPS_PROXY`); may hold a secret. */
  readonly https: string | null;
  /** Host names to reach without a proxy, separated by commas (`NO_PROXY`). */
  readonly exceptions: string | null;
}

export const NO_PROXIES: ProxySettings = { http: null, https: null, exceptions: null };

/** How to reach the messaging platforms. */
export class ChannelsConfig {
  /**
   * Base addresses of the platforms' APIs, by channel type, without a trailing slash (such as `WAYSTATION_TELEGRAM_API_URL`).
   * Absent platforms have their default address.
   */
  apiUrls: Readonly<Record<string, string>> = {};

  /** Milliseconds for a platform's response (`WAYSTATION_PLATFORM_TIMEOUT_MS`), in addition to the wait of polling. */
  platformTimeoutMs = 15_000;

  /** Limit in bytes of a chat's file that agents may fetch (`WAYSTATION_ATTACHMENT_MAX_BYTES`). Telegram allows at most 20 MiB. */
  attachmentMaxBytes = 20 * 1024 * 1024;

  /** Limit in bytes of a file that an agent sends to a chat: Telegram's own. */
  sentFileMaxBytes = 50 * 1024 * 1024;

  /** Limit in bytes of all agents' files that wait for their chats. */
  sentFilesMaxBytes = 512 * 1024 * 1024;

  /**
   * Milliseconds that a message waits for its next part, such as of an album, a long paste or a forward (`WAYSTATION_GATHER_MS`), and at
   * most five times as long in all. 0 starts a run for each part at once.
   */
  gatherMs = 2_000;

  proxies = NO_PROXIES;
}
