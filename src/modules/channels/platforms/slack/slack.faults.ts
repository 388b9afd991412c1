import { UNPROVEN_REQUEST } from '../platform-failure.js';
import type { PlatformFault } from '../platform.js';

/** Errors of the Web API that people meet: docs.slack.dev/reference/methods/chat.postMessage. */
export const SLACK_FAULTS: readonly PlatformFault[] = [
  {
    pattern: /^(invalid_auth|not_authed|token_revoked|token_expired|account_inactive)$/,
    remedy:
      'The bot token is wrong or was revoked. Copy the bot user OAuth token (xoxb-...) from api.slack.com/apps, your app, OAuth & Permissions, then replace the config.',
  },
  {
    pattern: /^(missing_scope|not_allowed_token_type|no_permission)$/,
    remedy:
      'Under OAuth & Permissions, add the bot scopes chat:write, app_mentions:read and im:history, and install the app again.',
  },
  {
    pattern: /^(not_in_channel|channel_not_found)$/,
    remedy: 'The bot is not in this channel. Write /invite and its name there.',
  },
  {
    pattern: /^is_archived$/,
    remedy: 'The channel of Slack is archived. Somebody has to unarchive it.',
  },
  {
    pattern: /^(ratelimited|rate_limited)$/,
    remedy: 'Slack limits how fast an app may go on. Waystation waits for as long as Slack says; nothing is lost.',
  },
  {
    pattern: /^(cannot_dm_bot|user_disabled|user_not_found)$/,
    remedy: 'Slack takes no message for this person: a bot, or somebody who has left.',
  },
  {
    pattern: new RegExp(UNPROVEN_REQUEST),
    remedy: 'Copy the signing secret again from Basic Information: Slack signs with it. Then replace the config.',
  },
];
