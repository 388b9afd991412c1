import { textIn } from '../../../../common/json-fields.js';
import {
  ChannelAdapter,
  PlatformError,
  type AccountProfile,
  type ChannelAccount,
  type RegistrationResult,
  type WebhookRequest,
  type WebhookClaim,
} from '../channel-adapter.js';
import type { ParsedWebhook } from '../inbound-update.js';
import type { ChatAddress, OutboundFile, OutboundMessage, SendOutcome, UploadOutcome } from '../outbound-message.js';
import type { Platform } from '../platform.js';
import type { PlatformCalls } from '../platform-calls.js';
import { outcomeOfFailure, uploadFailure } from '../platform-failure.js';
import type { OpenedFile } from '../platform-file.js';
import { outcomeOf, WhatsappCalls, bodyOf, noticeOf, MAX_QUESTION_LENGTH, MAX_TEXT_LENGTH } from './whatsapp.calls.js';
import { WHATSAPP_FAULTS, phoneNumberIdOf, WHATSAPP_FIELDS } from './whatsapp.config.js';
import { digitsOf, parseBatch } from './whatsapp.parse.js';
import { createHmac } from 'node:crypto';
import { isSameSecret } from '../../../../common/constant-time.js';

/** Meta's WhatsApp Business Cloud API. */
export class WhatsappAdapter extends ChannelAdapter {
  readonly maxTextLength = MAX_TEXT_LENGTH;
  readonly maxQuestionLength = MAX_QUESTION_LENGTH;
  /** Reply buttons of an interactive message; their titles must differ. */
  readonly maxButtons = 3;
  /** Meta allows one message per person every 6 seconds in the long run, and bursts; it says when it was too much. */
  readonly sendIntervalMs = 1000;
  /** The throughput of a number unless Meta raises it. */
  readonly sendsPerSecond = 80;
  /** The indicator shows for 25 seconds. */
  readonly typingIntervalMs = 20_000;
  /**
   * Media from webhooks can be fetched for 7 days (developers.facebook.com/docs/whatsapp/cloud-api/reference/media, read 2026-11-26, and as
   * others quote it).
   */
  override readonly filesLastMs = 7 * 24 * 3600_000;
  readonly identityOf = phoneNumberIdOf;
  readonly claimOf = claimOf;
  readonly isProven = isProven;
  private readonly api: WhatsappCalls;

  constructor(calls: PlatformCalls, baseUrl: string) {
    super();
    this.api = new WhatsappCalls(calls, baseUrl);
  }

  /** Express leaves the dots in parameter names; a repeated parameter is a list. */
  override isHandshake(query: Readonly<Record<string, unknown>>): boolean {
    return query['hub.mode'] === 'subscribe' && typeof query['hub.verify_token'] === 'string';
  }

  /** The challenge to echo, if the request has Meta's form and the configured verify token. */
  override handshake(query: Readonly<Record<string, unknown>>, { config }: ChannelAccount): string | null {
    const challenge = query['hub.challenge'];
    if (!this.isHandshake(query) || typeof challenge !== 'string') return null;
    const isOurs = isSameSecret(String(query['hub.verify_token']), String(config.verify_token));
    return isOurs && /^[\w.~-]{1,512}$/.test(challenge) ? challenge : null;
  }

  parse(request: WebhookRequest, { config }: ChannelAccount): ParsedWebhook {
    return { updates: parseBatch(request.rawBody, phoneNumberIdOf(config)), response: null };
  }

  async fetchProfile(account: ChannelAccount, signal: AbortSignal): Promise<AccountProfile> {
    const path = `${phoneNumberIdOf(account.config)}?fields=display_phone_number,verified_name`;
    const number = await this.api.result(account, { method: 'GET', path }, signal);
    const userId = digitsOf(textIn(number, 'display_phone_number')) || null;
    return { userId, userName: textIn(number, 'verified_name'), team: null };
  }

  async registerWebhook(
    account: ChannelAccount,
    url: string,
    _secret: string,
    signal: AbortSignal,
  ): Promise<RegistrationResult> {
    const wabaId = account.config.waba_id;
    if (typeof wabaId === 'string') await this.subscribe(account, wabaId, signal);
    return {
      status: 'manual',
      instructions: [
        'Open https://developers.facebook.com/apps, your app, WhatsApp, Configuration.',
        `Callback URL: ${url}`,
        "Verify token: the verify_token of this channel's config.",
        'Press "Verify and save", then subscribe to the webhook field "messages".',
        ...(typeof wabaId === 'string'
          ? ['The app was subscribed to the WhatsApp Business Account.']
          : ['Subscribe the app to your WhatsApp Business Account, or set waba_id and call setup-webhook again.']),
      ],
    };
  }

  async send(account: ChannelAccount, message: OutboundMessage, signal: AbortSignal): Promise<SendOutcome> {
    try {
      return outcomeOf(await this.post(account, bodyOf(message), signal));
    } catch (error) {
      return outcomeOfFailure(error);
    }
  }

  override async upload(account: ChannelAccount, file: OutboundFile, signal: AbortSignal): Promise<UploadOutcome> {
    const path = `${phoneNumberIdOf(account.config)}/media`;
    return this.api.upload(account, path, file, signal).catch(uploadFailure);
  }

  openFile(account: ChannelAccount, fileId: string, signal: AbortSignal): Promise<OpenedFile> {
    return this.api.openFile(account, fileId, signal);
  }

  /** Also marks the person's last message as read: WhatsApp has no other way to show it. */
  async showTyping(
    account: ChannelAccount,
    _chat: ChatAddress,
    lastMessageId: string,
    signal: AbortSignal,
  ): Promise<void> {
    const read = { messaging_product: 'whatsapp', status: 'read', message_id: lastMessageId };
    await this.post(account, { ...read, typing_indicator: { type: 'text' } }, signal).catch(() => null);
  }

  /** The only notice that WhatsApp has is a message, which quotes the press. */
  async answerPress(account: ChannelAccount, pressId: string, text: string, signal: AbortSignal): Promise<void> {
    if (text !== '') await this.post(account, noticeOf(pressId, text), signal).catch(() => null);
  }

  private post(account: ChannelAccount, body: Readonly<Record<string, unknown>>, signal: AbortSignal) {
    const path = `${phoneNumberIdOf(account.config)}/messages`;
    return this.api.call(account, { method: 'POST', path, body }, signal);
  }

  private async subscribe(account: ChannelAccount, wabaId: string, signal: AbortSignal): Promise<void> {
    const call = { method: 'POST', path: `${wabaId}/subscribed_apps` } as const;
    const { success } = await this.api.result(account, call, signal);
    if (success !== true) throw new PlatformError('the platform did not confirm the subscription', false);
  }
}

export const WHATSAPP: Platform = {
  title: 'WhatsApp',
  apiUrl: 'https://graph.facebook.com/v23.0',
  preparation: [
    'Create an app of type Business at developers.facebook.com/apps and add WhatsApp to it.',
    'Note the phone number id under WhatsApp, API Setup, and the app secret under App settings, Basic.',
    'Create a permanent access token for a system user with whatsapp_business_messaging.',
    'Choose a verify token. Any text will do; enter the same one here and in the App Dashboard.',
  ],
  fields: WHATSAPP_FIELDS,
  faults: WHATSAPP_FAULTS,
  connect: (calls, apiUrl) => new WhatsappAdapter(calls, apiUrl),
};

/** Meta uses lower case; anything else is not from Meta. */
const SIGNATURE = /^sha256=[0-9a-f]{64}$/;

/** Far more updates than Meta puts into one request (graph-api/webhooks/getting-started); strangers may send any number. */
const MAX_NUMBERS = 1000;

/** As Meta writes it. If strangers write it differently, no number is named, and all secrets are tried. */
const NUMBER = /"phone_number_id"\s*:\s*"?(\d{1,32})(?!\d)/g;

/**
 * The numbers that a batch is for, whose secrets are tried first. They are searched in the bytes: parsing unproven input would cost far
 * more than checking the proof.
 */
export function claimOf(request: WebhookRequest): WebhookClaim {
  if (signatureOf(request) === null) return { by: 'none' };
  const identities = new Set<string>();
  for (const [, id] of request.rawBody.toString('latin1').matchAll(NUMBER)) {
    identities.add(id!);
    if (identities.size === MAX_NUMBERS) break;
  }
  return identities.size === 0 ? { by: 'type' } : { by: 'identity', identities: [...identities] };
}

/** HMAC-SHA256 over the raw bytes: Meta escapes characters that no serialiser here would. */
export function isProven(request: WebhookRequest, { config }: ChannelAccount): boolean {
  const signature = signatureOf(request);
  if (signature === null) return false;
  const expected = createHmac('sha256', String(config.app_secret)).update(request.rawBody).digest('hex');
  return isSameSecret(signature, `sha256=${expected}`);
}

function signatureOf({ headers }: WebhookRequest): string | null {
  const header = headers['x-hub-signature-256'];
  return header !== undefined && SIGNATURE.test(header) ? header : null;
}
