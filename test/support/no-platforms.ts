/** Platforms of servers under test that have no fake of them: tests use the loopback alone. Nobody listens there. */
export const NO_PLATFORMS = {
  WAYSTATION_TELEGRAM_API_URL: 'http://127.0.0.1:9',
  WAYSTATION_WHATSAPP_API_URL: 'http://127.0.0.1:9',
  WAYSTATION_SLACK_API_URL: 'http://127.0.0.1:9',
};
