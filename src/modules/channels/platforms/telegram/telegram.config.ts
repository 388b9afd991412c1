import { commonFields, type ConfigField, type PlatformFault, optionalField, secretField } from '../platform.js';

/** What BotFather gives, and how updates arrive. */
export const TELEGRAM_FIELDS: readonly ConfigField[] = [
  secretField('bot_token', 'the token that @BotFather gave for the bot', {
    pattern: /^\d{1,20}:\S+$/,
    words: 'the token as the platform issued it: digits, a colon and the rest',
  }),
  {
    ...optionalField(
      'transport',
      'choice',
      'webhook: Telegram calls a public address; polling: this server asks Telegram, no public address needed',
    ),
    choices: ['webhook', 'polling'],
    unreachableChoice: 'polling',
  },
  optionalField('allow_unsigned', 'flag', 'until a webhook is set up, anyone can send updates'),
  ...commonFields('user ids of the people who may approve tool calls in the chat'),
];

/** The bot's identity, as far as known. */
export interface TelegramBot {
  id: string;
  /** Without `@`, in lower case; null until Telegram was asked. */
  userName: string | null;
}

/** The part of a token before the colon is the bot's own user id. */
export function botIdOf(config: Readonly<Record<string, unknown>>): string {
  return String(config.bot_token).split(':')[0]!;
}

/** Common Bot API errors, in the words of github.com/tdlib/telegram-bot-api. */
export const TELEGRAM_FAULTS: readonly PlatformFault[] = [
  {
    pattern: /^(unauthorized|not found)\b/i,
    remedy:
      'The token is wrong or was revoked. Copy it again from @BotFather (/mybots, the bot, API Token), then replace the config.',
  },
  {
    pattern: /bad webhook|webhook.*https/i,
    remedy:
      'Telegram delivers only to https addresses that it can reach, on port 443, 80, 88 or 8443, with a valid certificate. Use a proxy or a tunnel, or replace the config and choose the transport polling.',
  },
  {
    pattern: /getUpdates|webhook is active/i,
    remedy: 'Another program uses the same token. Stop it, or give this channel a bot of its own.',
  },
  {
    pattern: /too many requests/i,
    remedy: 'Telegram limits how fast a bot may go on. Waystation waits for as long as Telegram says; nothing is lost.',
  },
  {
    pattern: /blocked by the user|user is deactivated/i,
    remedy: 'The person has blocked the bot. It can write to them again once they have written to it.',
  },
  {
    pattern: /chat not found|PEER_ID_INVALID|bot was kicked|not a member|chat was deactivated/i,
    remedy: 'The bot is not in this chat. Add it again, then write to it there.',
  },
  {
    pattern: /not enough rights|have no rights|CHAT_WRITE_FORBIDDEN/i,
    remedy: 'In the settings of the group, allow the bot to send messages.',
  },
];
