import { digestOf } from '../../../../common/digest.js';
import type { ConfigField } from '../channel-config.js';

/** What Slack's app page shows of an installed app. */
export const SLACK_FIELDS: readonly ConfigField[] = [
  {
    name: 'bot_token',
    kind: 'text',
    isRequired: true,
    isSecret: true,
    hint: 'the bot user OAuth token: api.slack.com/apps, your app, OAuth & Permissions',
  },
  {
    name: 'signing_secret',
    kind: 'text',
    isRequired: true,
    isSecret: true,
    hint: 'api.slack.com/apps, your app, Basic Information: Slack signs with it',
  },
  {
    name: 'approvers',
    kind: 'user_ids',
    isRequired: false,
    isSecret: false,
    hint: 'user ids (U...) of the people who may approve tool calls in the chat',
  },
];

/** An app in several workspaces has one signing secret, but a token for each. */
export function identityOf(config: Readonly<Record<string, unknown>>): string {
  return digestOf(`slack:${String(config.bot_token)}`);
}

/** Where the notice to one person goes. */
export interface SlackPress {
  channel: string;
  user: string;
  threadTs: string | null;
}

/** Slack has no id of a press that a notice could be sent to, so ours says where. */
export function pressIdOf({ channel, user, threadTs }: SlackPress): string {
  return [channel, user, ...(threadTs === null ? [] : [threadTs])].join('/');
}

export function pressOf(pressId: string): SlackPress {
  const [channel = '', user = '', threadTs = null] = pressId.split('/');
  return { channel, user, threadTs };
}

/** A key of what happened, never longer than the port allows. */
export function keyOf(kind: string, ...parts: readonly (string | null)[]): string {
  const key = [kind, ...parts].join(':');
  return key.length <= 512 ? key : `${kind}:${digestOf(key)}`;
}
