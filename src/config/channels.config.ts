/** How the messaging platforms are reached. */
export class ChannelsConfig {
  /**
   * Base addresses of the platforms' APIs, by the type of their channels, no slash at the end (`WAYSTATION_TELEGRAM_API_URL` and the like).
   * A platform that is not here is called at its own address.
   */
  apiUrls: Readonly<Record<string, string>> = {};

  /** Milliseconds that a platform has for its answer (`WAYSTATION_PLATFORM_TIMEOUT_MS`); polling waits longer by what it asked for. */
  platformTimeoutMs = 15_000;
}
