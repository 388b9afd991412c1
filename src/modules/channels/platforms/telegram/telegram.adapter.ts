import { cutText } from '../../../../common/cut-text.js';
import { idIn, objectOf, objectsIn, textIn } from '../../../../common/json-fields.js';
import {
  ChannelAdapter,
  PlatformError,
  type AccountProfile,
  type ChannelAccount,
  type PollingAdapter,
  type RegistrationResult,
  type UnsignedAdapter,
  type UnsignedPolicy,
  type WebhookRequest,
  type WebhookClaim,
} from '../channel-adapter.js';
import type { InboundUpdate, ParsedWebhook } from '../inbound-update.js';
import type { ChatAddress, OutboundFile, OutboundMessage, SendOutcome } from '../outbound-message.js';
import type { Platform } from '../platform.js';
import type { PlatformCalls } from '../platform-calls.js';
import { outcomeOfFailure } from '../platform-failure.js';
import type { OpenedFile } from '../platform-file.js';
import {
  AS_DOCUMENT,
  fileMethodOf,
  isMarkupRefused,
  outcomeOf,
  TelegramCalls,
  type FileMethod,
  type TelegramCall,
  callOf,
  MAX_TEXT_LENGTH,
} from './telegram.calls.js';
import { TELEGRAM_FAULTS, botIdOf, TELEGRAM_FIELDS, type TelegramBot } from './telegram.config.js';
import { ALLOWED_UPDATES, parseUpdate, readUpdate } from './telegram.parse.js';
import { isSameSecret } from '../../../../common/constant-time.js';
import { digestOf } from '../../../../common/digest.js';

/** Telegram's Bot API, by webhook or by polling. */
export class TelegramAdapter extends ChannelAdapter implements PollingAdapter, UnsignedAdapter {
  readonly maxTextLength = MAX_TEXT_LENGTH;
  readonly maxQuestionLength = MAX_TEXT_LENGTH;
  /** Telegram allows 100; more than ten rows push the question out of sight. */
  readonly maxButtons = 10;
  /** "Avoid sending more than one message per second" to one chat (core.telegram.org/bots/faq). */
  readonly sendIntervalMs = 1000;
  /** The limit of bulk notifications, on the same page. */
  readonly sendsPerSecond = 30;
  /** A chat action shows for 5 seconds. */
  readonly typingIntervalMs = 4000;
  private readonly api: TelegramCalls;

  constructor(calls: PlatformCalls, baseUrl: string) {
    super();
    this.api = new TelegramCalls(calls, baseUrl);
  }

  readonly identityOf = botIdOf;
  readonly claimOf = claimOf;
  readonly isProven = isProven;

  parse(request: WebhookRequest, account: ChannelAccount): ParsedWebhook {
    return { updates: parseUpdate(request.rawBody, botOf(account)), response: null };
  }

  /** This server creates the secret when it sets up the webhook; until then there is none. */
  unsignedPolicy({ config, webhookSecrets }: ChannelAccount): UnsignedPolicy {
    if (webhookSecrets.length > 0 || this.isPolled(config)) return 'refuse';
    return config.allow_unsigned === true ? 'trust' : 'show';
  }

  isPolled({ transport }: Readonly<Record<string, unknown>>): boolean {
    return transport === 'polling';
  }

  async fetchProfile(account: ChannelAccount, signal: AbortSignal): Promise<AccountProfile> {
    const me = objectOf(await this.api.result(account, { method: 'getMe', body: {} }, signal));
    return { userId: idIn(me, 'id'), userName: textIn(me, 'username'), team: null };
  }

  async registerWebhook(
    account: ChannelAccount,
    url: string,
    secret: string,
    signal: AbortSignal,
  ): Promise<RegistrationResult> {
    const body = { url, secret_token: secret, allowed_updates: ALLOWED_UPDATES };
    const isSet = await this.api.result(account, { method: 'setWebhook', body }, signal);
    if (isSet !== true) throw new PlatformError('the platform did not confirm the webhook', false);
    return { status: 'registered', instructions: [] };
  }

  async send(account: ChannelAccount, message: OutboundMessage, signal: AbortSignal): Promise<SendOutcome> {
    try {
      if (message.kind === 'file') return await this.sendFile(account, message, signal);
      let response = await this.api.call(account, callOf(message, 'HTML'), signal);
      // Certainly not sent: a model's text may not be valid markup for Telegram.
      if (isMarkupRefused(response)) response = await this.api.call(account, callOf(message, 'plain'), signal);
      const isNoChange = message.kind === 'edit' && /message is not modified/i.test(response.words);
      return isNoChange ? { kind: 'sent', messageId: message.messageId } : outcomeOf(response);
    } catch (error) {
      return outcomeOfFailure(error);
    }
  }

  /** Sends as a document what Telegram cannot display. */
  private async sendFile(account: ChannelAccount, file: OutboundFile, signal: AbortSignal): Promise<SendOutcome> {
    const method = fileMethodOf(file);
    const outcome = await this.sendFileBy(method, account, file, signal);
    const isPicky = outcome.kind === 'refused' && !outcome.isChatClosed && outcome.movedTo === null;
    return isPicky && method !== AS_DOCUMENT ? this.sendFileBy(AS_DOCUMENT, account, file, signal) : outcome;
  }

  private async sendFileBy(
    method: FileMethod,
    account: ChannelAccount,
    file: OutboundFile,
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    const response = await this.api.sendFile(account, method, file, 'HTML', signal);
    const isPlain = !isMarkupRefused(response) || file.caption === '';
    return outcomeOf(isPlain ? response : await this.api.sendFile(account, method, file, 'plain', signal));
  }

  openFile(account: ChannelAccount, fileId: string, signal: AbortSignal): Promise<OpenedFile> {
    return this.api.openFile(account, fileId, signal);
  }

  async showTyping(
    account: ChannelAccount,
    chat: ChatAddress,
    _lastMessageId: string,
    signal: AbortSignal,
  ): Promise<void> {
    const topic = chat.topic === null ? {} : { message_thread_id: chat.topic };
    const body = { chat_id: chat.chatId, action: 'typing', ...topic };
    await this.attempt(account, { method: 'sendChatAction', body }, signal);
  }

  async answerPress(account: ChannelAccount, pressId: string, text: string, signal: AbortSignal): Promise<void> {
    // Telegram allows 200 characters; the notice is short-lived, so the rest is no loss.
    const body = { callback_query_id: pressId, text: cutText(text, 200) };
    await this.attempt(account, { method: 'answerCallbackQuery', body }, signal);
  }

  async poll(
    account: ChannelAccount,
    offset: string | null,
    waitSeconds: number,
    signal: AbortSignal,
  ): Promise<{ updates: readonly InboundUpdate[]; nextOffset: string | null }> {
    const body = {
      ...(offset === null ? {} : { offset: Number(offset) }),
      timeout: waitSeconds,
      limit: 100,
      allowed_updates: ALLOWED_UPDATES,
    };
    const call = { method: 'getUpdates', body, extraTimeMs: waitSeconds * 1000 };
    const result = await this.api.result(account, call, signal);
    const updates = objectsIn({ result }, 'result');
    const lastId = idIn(updates.at(-1) ?? null, 'update_id');
    const bot = botOf(account);
    return {
      updates: updates.flatMap((update) => readUpdate(update, bot)),
      nextOffset: lastId === null ? offset : String(Number(lastId) + 1),
    };
  }

  async stopWebhook(account: ChannelAccount, signal: AbortSignal): Promise<void> {
    await this.api.result(account, { method: 'deleteWebhook', body: { drop_pending_updates: false } }, signal);
  }

  private async attempt(account: ChannelAccount, call: TelegramCall, signal: AbortSignal): Promise<void> {
    await this.api.call(account, call, signal).catch(() => null);
  }
}

function botOf({ config, profile }: ChannelAccount): TelegramBot {
  return { id: botIdOf(config), userName: profile.userName?.toLowerCase() ?? null };
}

export const TELEGRAM: Platform = {
  title: 'Telegram',
  apiUrl: 'https://api.telegram.org',
  preparation: [
    'In Telegram, open a chat with @BotFather, send /newbot and answer its two questions.',
    'Copy the token that it answers with.',
    'On a machine without a public address, choose the transport polling.',
  ],
  fields: TELEGRAM_FIELDS,
  faults: TELEGRAM_FAULTS,
  connect: (calls, apiUrl) => new TelegramAdapter(calls, apiUrl),
};

const HEADER = 'x-telegram-bot-api-secret-token';

/**
 * Telegram's updates do not name their bot, so each bot gets its own secret, which both identifies and proves.
 * Only a request without the header carries no proof; an unknown header is a wrong proof.
 */
export function claimOf({ headers }: WebhookRequest): WebhookClaim {
  const secret = headers[HEADER];
  return secret === undefined ? { by: 'none' } : { by: 'secret', digest: digestOf(secret) };
}

export function isProven({ headers }: WebhookRequest, { webhookSecrets }: ChannelAccount): boolean {
  const secret = headers[HEADER];
  if (secret === undefined || secret === '') return false;
  const digest = digestOf(secret);
  return webhookSecrets.filter((expected) => isSameSecret(digest, expected)).length > 0;
}
