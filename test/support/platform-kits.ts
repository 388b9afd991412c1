import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { digestOf } from '../../src/common/digest.js';
import { SlackAdapter } from '../../src/modules/channels/platforms/slack/slack.adapter.js';
import { TelegramAdapter } from '../../src/modules/channels/platforms/telegram/telegram.adapter.js';
import { WhatsappAdapter } from '../../src/modules/channels/platforms/whatsapp/whatsapp.adapter.js';
import type {
  ChannelAccount,
  ChannelAdapter,
  WebhookRequest,
} from '../../src/modules/channels/platforms/channel-adapter.js';
import type { InboundUpdate } from '../../src/modules/channels/platforms/inbound-update.js';
import type { ChannelType } from '../../src/modules/channels/platforms/platforms.js';
import { PlatformCalls } from '../../src/modules/channels/platforms/platform-calls.js';
import type { SentFile } from '../fakes/platforms/form-data.js';
import type { Mishap, PlatformReply } from '../fakes/platforms/platform-server.js';
import { SlackFake } from '../fakes/platforms/slack-fake.js';
import { TelegramFake } from '../fakes/platforms/telegram-fake.js';
import { WhatsappFake } from '../fakes/platforms/whatsapp-fake.js';

/** The time of everything in the tests of proofs. */
export const NOW_MS = 1_763_600_000_000;

/** Default milliseconds for a fake's response. */
const TIMEOUT_MS = 20_000;

const FIXTURES = path.join(import.meta.dirname, '../../src/modules/channels/platforms');

export interface Fixture {
  name: string;
  request: { headers?: Record<string, string>; body?: unknown; text?: string };
  expected: { updates: InboundUpdate[]; answer: { contentType: string; body: string } | null };
}

/** What a chat of a fake shows. */
export interface Shown {
  text: string;
  buttons: { label: string; data: string }[];
}

/** A file that a fake's chat shows, and in which form. */
export interface ShownFile extends SentFile {
  caption: string;
  method: string;
}

function filesIn(messages: readonly { text: string; file?: SentFile & { method: string } }[]): ShownFile[] {
  return messages.flatMap(({ text, file }) => (file ? [{ ...file, caption: text }] : []));
}

/** One platform with its adapter, its fake, and an account known to the fake. */
export interface PlatformKit {
  adapter: ChannelAdapter;
  account: ChannelAccount;
  /** An account with other secrets. */
  stranger: ChannelAccount;
  secrets: readonly string[];
  /** A chat that can receive messages, and an unknown one. */
  chatId: string;
  unknownChatId: string;
  proof(body: Buffer): Record<string, string>;
  /** Headers that prove nothing, whatever the body. */
  malformedProofs: readonly Record<string, string>[];
  shown(): Shown[];
  failNextSend(mishap: Mishap): void;
  /** Files shown in the chat, and the parts of the calls that upload and show them; the same if one call does both. */
  files(): ShownFile[];
  failNextUpload(mishap: Mishap): void;
  failNextFile(mishap: Mishap): void;
  /** The platform's own responses: too much, by its own body; an error of its own; an error with any words. */
  errors: { tooMuch: PlatformReply; broken: PlatformReply; saying(words: string): PlatformReply };
  close(): Promise<void>;
}

export const KITS: Record<ChannelType, (timeoutMs?: number) => Promise<PlatformKit>> = {
  telegram: telegramKit,
  whatsapp: whatsappKit,
  slack: slackKit,
};

export function fixturesOf(type: ChannelType): Fixture[] {
  const folder = path.join(FIXTURES, type, 'fixtures');
  return readdirSync(folder).flatMap((file) => JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as Fixture[]);
}

export function bodyOf({ request }: Fixture): Buffer {
  return Buffer.from(request.text ?? JSON.stringify(request.body));
}

export function requestOf(kit: PlatformKit, rawBody: Buffer, headers: Record<string, string> = {}): WebhookRequest {
  return { rawBody, headers: { ...kit.proof(rawBody), ...headers }, receivedAtMs: NOW_MS };
}

function hmacOf(key: string, ...parts: (string | Buffer)[]): string {
  const hmac = createHmac('sha256', key);
  for (const part of parts) hmac.update(part);
  return hmac.digest('hex');
}

async function telegramKit(timeoutMs = TIMEOUT_MS): Promise<PlatformKit> {
  const fake = await TelegramFake.start();
  const secret = 'fresh-webhook-secret_01';
  fake.chats.add('4242');
  const profile = { userId: '700100200', userName: 'WaystationBot', team: null };
  const account = {
    channelId: 'c1',
    config: { bot_token: fake.token },
    profile,
    webhookSecrets: ['x', digestOf(secret)],
  };
  const header = 'x-telegram-bot-api-secret-token';
  return {
    adapter: new TelegramAdapter(new PlatformCalls(timeoutMs), fake.url),
    account,
    stranger: { ...account, webhookSecrets: [digestOf('another')] },
    secrets: [fake.token, fake.token.split(':')[1]!],
    chatId: '4242',
    unknownChatId: '999',
    proof: () => ({ [header]: secret }),
    malformedProofs: [{}, { [header]: '' }, { [header]: `${secret} ` }, { [header]: digestOf(secret) }],
    shown: () =>
      fake.messages.map(({ text, buttons }) => ({
        text,
        buttons: buttons.map((b) => ({ label: b.text, data: b.data })),
      })),
    failNextSend: (mishap) => fake.failNext('sendMessage', mishap),
    files: () => filesIn(fake.messages),
    failNextUpload: (mishap) => fake.failNext('send\\w+', mishap),
    failNextFile: (mishap) => fake.failNext('send\\w+', mishap),
    errors: {
      tooMuch: TelegramFake.error(429, 'Too Many Requests: retry after 7', { retry_after: 7 }),
      broken: TelegramFake.error(500, 'Internal Server Error: restart'),
      saying: (words) => TelegramFake.error(400, `Bad Request: ${words}`),
    },
    close: () => fake.close(),
  };
}

async function whatsappKit(timeoutMs = TIMEOUT_MS): Promise<PlatformKit> {
  const fake = await WhatsappFake.start();
  const { phoneNumberId, accessToken, appSecret } = fake.number;
  fake.open.add('16505551234');
  const config = {
    phone_number_id: phoneNumberId,
    access_token: accessToken,
    app_secret: appSecret,
    verify_token: 'vt-secret-1',
  };
  const profile = { userId: null, userName: null, team: null };
  const account = { channelId: 'c2', config, profile, webhookSecrets: [] };
  const header = 'x-hub-signature-256';
  return {
    adapter: new WhatsappAdapter(new PlatformCalls(timeoutMs), fake.url),
    account,
    stranger: { ...account, config: { ...config, app_secret: 'another' } },
    secrets: [accessToken, appSecret, config.verify_token],
    chatId: '16505551234',
    unknownChatId: '4915199999',
    proof: (body) => ({ [header]: `sha256=${hmacOf(appSecret, body)}` }),
    malformedProofs: [
      {},
      { [header]: '' },
      { [header]: 'sha256=' },
      { [header]: `sha256=${'0'.repeat(63)}` },
      { [header]: `sha256=${'0'.repeat(65)}` },
      { [header]: `sha1=${'0'.repeat(40)}` },
      { [header]: `SHA256=${'0'.repeat(64)}` },
      { 'x-hub-signature': `sha1=${'0'.repeat(40)}` },
    ],
    shown: () =>
      fake.messages.map(({ text, buttons }) => ({
        text,
        buttons: buttons.map((b) => ({ label: b.title, data: b.id })),
      })),
    failNextSend: (mishap) => fake.failNext('/messages$', mishap),
    files: () => filesIn(fake.messages),
    failNextUpload: (mishap) => fake.failNext('/media$', mishap),
    failNextFile: (mishap) => fake.failNext('/messages$', mishap),
    errors: {
      tooMuch: { ...WhatsappFake.error(400, 130429, 'Rate limit hit'), headers: { 'retry-after': '7' } },
      broken: WhatsappFake.error(500, 131000, 'Something went wrong'),
      saying: (words) => WhatsappFake.error(400, 100, words),
    },
    close: () => fake.close(),
  };
}

async function slackKit(timeoutMs = TIMEOUT_MS): Promise<PlatformKit> {
  const fake = await SlackFake.start();
  const { botToken, signingSecret, team, botUser } = fake.app;
  const config = { bot_token: botToken, signing_secret: signingSecret };
  const profile = { userId: botUser, userName: 'waystation', team };
  const account = { channelId: 'c3', config, profile, webhookSecrets: [] };
  const [signature, timestamp] = ['x-slack-signature', 'x-slack-request-timestamp'];
  const now = String(NOW_MS / 1000);
  return {
    adapter: new SlackAdapter(new PlatformCalls(timeoutMs), fake.url),
    account,
    stranger: { ...account, config: { ...config, signing_secret: 'another' } },
    secrets: [botToken, signingSecret],
    chatId: 'D0DIRECT01',
    unknownChatId: 'C0NOWHERE',
    proof: (body) => ({ [timestamp]: now, [signature]: `v0=${hmacOf(signingSecret, `v0:${now}:`, body)}` }),
    malformedProofs: [
      {},
      { [timestamp]: now },
      { [signature]: `v0=${'0'.repeat(64)}` },
      { [timestamp]: now, [signature]: 'v0=' },
      { [timestamp]: now, [signature]: `v1=${'0'.repeat(64)}` },
      { [timestamp]: `${now}.0`, [signature]: `v0=${'0'.repeat(64)}` },
      { [timestamp]: 'NaN', [signature]: `v0=${'0'.repeat(64)}` },
      { [timestamp]: '', [signature]: `v0=${'0'.repeat(64)}` },
    ],
    shown: () =>
      fake.messages.map(({ text, buttons }) => ({
        text,
        buttons: buttons.map((b) => ({ label: b.text, data: b.value })),
      })),
    failNextSend: (mishap) => fake.failNext('chat.postMessage', mishap),
    files: () => filesIn(fake.messages),
    failNextUpload: (mishap) => fake.failNext('upload/v1/\\w+', mishap),
    failNextFile: (mishap) => fake.failNext('files.completeUploadExternal', mishap),
    errors: {
      tooMuch: { status: 429, body: { ok: false, error: 'ratelimited' }, headers: { 'retry-after': '7' } },
      broken: { status: 503, body: { ok: false, error: 'service_unavailable' } },
      saying: (words) => ({ status: 200, body: { ok: false, error: words } }),
    },
    close: () => fake.close(),
  };
}
