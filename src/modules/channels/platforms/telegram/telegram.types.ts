import type { ConfigField } from '../channel-config.js';

/** What BotFather gives and what decides how updates come in. */
export const TELEGRAM_FIELDS: readonly ConfigField[] = [
  {
    name: 'bot_token',
    kind: 'text',
    isRequired: true,
    isSecret: true,
    format: { pattern: /^\d{1,20}:\S+$/, words: 'the token as the platform issued it: digits, a colon and the rest' },
    hint: 'the token that @BotFather gave for the bot',
  },
  {
    name: 'transport',
    kind: 'choice',
    isRequired: false,
    isSecret: false,
    choices: ['webhook', 'polling'],
    hint: 'webhook: Telegram calls a public address; polling: this server asks Telegram, no public address needed',
  },
  {
    name: 'allow_unsigned',
    kind: 'flag',
    isRequired: false,
    isSecret: false,
    hint: 'true handles updates without proof until a webhook is set up; for local experiments only',
  },
  {
    name: 'approvers',
    kind: 'user_ids',
    isRequired: false,
    isSecret: false,
    hint: 'user ids of the people who may approve tool calls in the chat',
  },
];

/** Who the bot is, as far as that is known. */
export interface TelegramBot {
  id: string;
  /** Without `@`, in lower case; null until Telegram was asked. */
  userName: string | null;
}

/** The part of a token before its colon is the bot's own user id. */
export function botIdOf(config: Readonly<Record<string, unknown>>): string {
  return String(config.bot_token).split(':')[0]!;
}
