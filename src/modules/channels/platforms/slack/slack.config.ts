import { digestOf } from '../../../../common/digest.js';
import { commonFields, type ConfigField, type PlatformFault, secretField } from '../platform.js';
import { UNPROVEN_REQUEST } from '../platform-failure.js';

/** What Slack's app page shows of an installed app. */
export const SLACK_FIELDS: readonly ConfigField[] = [
  secretField('bot_token', 'the bot user OAuth token: api.slack.com/apps, your app, OAuth & Permissions'),
  secretField('signing_secret', 'api.slack.com/apps, your app, Basic Information: Slack signs with it'),
  ...commonFields('user ids (U...) of the people who may approve tool calls in the chat'),
];

/** An app in several workspaces has one signing secret, but a token for each. */
export function identityOf(config: Readonly<Record<string, unknown>>): string {
  return digestOf(`slack:${String(config.bot_token)}`);
}

/** Where to send the notice to the person. */
export interface SlackPress {
  channel: string;
  user: string;
  threadTs: string | null;
}

/** Slack's press ids cannot be used to send a notice, so ours contains the address. */
export function pressIdOf({ channel, user, threadTs }: SlackPress): string {
  return [channel, user, ...(threadTs === null ? [] : [threadTs])].join('/');
}

export function pressOf(pressId: string): SlackPress {
  const [channel = '', user = '', threadTs = null] = pressId.split('/');
  return { channel, user, threadTs };
}

/** A key of an event, never longer than the port allows. */
export function keyOf(kind: string, ...parts: readonly (string | null)[]): string {
  const key = [kind, ...parts].join(':');
  return key.length <= 512 ? key : `${kind}:${digestOf(key)}`;
}

/** Common Web API errors: docs.slack.dev/reference/methods/chat.postMessage. */
export const SLACK_FAULTS: readonly PlatformFault[] = [
  {
    pattern: /^(invalid_auth|not_authed|token_revoked|token_expired|account_inactive)$/,
    remedy:
      'The bot token is wrong or was revoked. Copy the bot user OAuth token (xoxb-...) from api.slack.com/apps, your app, OAuth & Permissions, then replace the config.',
  },
  {
    pattern: /^(missing_scope|not_allowed_token_type|no_permission)$/,
    remedy:
      'Under OAuth & Permissions, add the bot scopes chat:write, app_mentions:read and im:history, files:read and files:write for files, and install the app again.',
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
