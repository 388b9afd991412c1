/** How the messaging platforms are reached. */
export class ChannelsConfig {
  /** Base address of the Telegram Bot API (`WAYSTATION_TELEGRAM_API_URL`), or of a Bot API server of one's own; no slash at the end. */
  telegramApiUrl = 'https://api.telegram.org';

  /** Base address of Meta's Graph API, version included (`WAYSTATION_WHATSAPP_API_URL`); no slash at the end. */
  whatsappApiUrl = 'https://graph.facebook.com/v23.0';

  /** Base address of Slack's Web API (`WAYSTATION_SLACK_API_URL`); no slash at the end. */
  slackApiUrl = 'https://slack.com/api';

  /** Milliseconds that a platform has for its answer (`WAYSTATION_PLATFORM_TIMEOUT_MS`); polling waits longer by what it asked for. */
  platformTimeoutMs = 15_000;
}
