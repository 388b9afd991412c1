/** How to reach the messaging platforms. */
export class ChannelsConfig {
  /**
   * Base addresses of the platforms' APIs, by channel type, without a trailing slash (`WAYSTATION_TELEGRAM_API_URL` and the like).
   * Platforms that are absent have their default address.
   */
  apiUrls: Readonly<Record<string, string>> = {};

  /** Milliseconds that a platform may take to answer (`WAYSTATION_PLATFORM_TIMEOUT_MS`); polling adds its own wait. */
  platformTimeoutMs = 15_000;
}
