import { randomInt } from 'node:crypto';
import type { WhatsappFake } from '../fakes/platforms/whatsapp-fake.js';
import type { Answer, ApiClient } from './api-client.js';
import { ok, type Page } from './recording.js';
import { waitFor } from './wait.js';

export const CHANNELS = '/v1/channels';

export interface ChannelRecord extends Record<string, unknown> {
  id: string;
  name: string;
  config: Record<string, unknown> | null;
  secret_fields: string[];
  enabled: boolean;
  verified: boolean;
  webhook_url: string | null;
  updated_at: string;
  agents: { agent_name: string; is_default: boolean; command: string | null }[];
}

export interface CreatedChannel extends ChannelRecord {
  verification_code: string;
  verification_expires_at: string;
}

export interface MessageRecord extends Record<string, unknown> {
  id: string;
  direction: 'in' | 'out';
  kind: string;
  external_id: string | null;
  chat_id: string | null;
  text: string;
  status: string;
  reason: string | null;
  agent_name: string | null;
  thread_id: string | null;
}

/** A bot token that no other test has. */
export function newBotToken(): string {
  return `${randomInt(1e9, 1e12)}:AAF-secret_of_a_bot_${randomInt(1e9, 1e12)}`;
}

/** The body that creates a Telegram channel. */
export function telegramOrder(more: Record<string, unknown> = {}): Record<string, unknown> {
  return { channel_type: 'telegram', name: 'Support bot', config: { bot_token: newBotToken() }, ...more };
}

export async function createChannel(api: ApiClient, order: Record<string, unknown>): Promise<CreatedChannel> {
  const answer = await api.post(CHANNELS, order);
  if (answer.status !== 201) throw new Error(`The channel was not created: ${answer.status} ${answer.text}`);
  return answer.json<CreatedChannel>();
}

export async function channelOf(api: ApiClient, id: string): Promise<ChannelRecord> {
  return ok(await api.get(`${CHANNELS}/${id}`)).json<ChannelRecord>();
}

export function patch(api: ApiClient, id: string, body: object): Promise<Answer> {
  return api.send('PATCH', `${CHANNELS}/${id}`, body);
}

export function putConfig(api: ApiClient, id: string, config: unknown): Promise<Answer> {
  return api.send('PUT', `${CHANNELS}/${id}/config`, { config });
}

export function bind(api: ApiClient, id: string, body: object): Promise<Answer> {
  return api.post(`${CHANNELS}/${id}/agents`, body);
}

export function verify(api: ApiClient, id: string, code: unknown): Promise<Answer> {
  return api.post(`${CHANNELS}/${id}/verify`, { code });
}

export function setUpWebhook(api: ApiClient, id: string, baseUrl: unknown): Promise<Answer> {
  return api.post(`${CHANNELS}/${id}/setup-webhook`, { base_url: baseUrl });
}

/** A verified and bound channel: the server handles what comes in. */
export async function createReadyChannel(
  api: ApiClient,
  order: Record<string, unknown>,
  agentName = 'support',
): Promise<CreatedChannel> {
  const channel = await createChannel(api, order);
  ok(await verify(api, channel.id, channel.verification_code));
  expect((await bind(api, channel.id, { agent_name: agentName })).status).toBe(201);
  return channel;
}

/** The same for WhatsApp, whose number then delivers there. @param more of the config */
export async function connectWhatsapp(api: ApiClient, whatsapp: WhatsappFake, more = {}): Promise<CreatedChannel> {
  const config = { ...whatsapp.config, ...more };
  const channel = await createReadyChannel(api, { channel_type: 'whatsapp', name: 'Shop', config });
  whatsapp.receiverUrl = `${api.baseUrl}/v1/channels/webhook/whatsapp`;
  return channel;
}

/** A channel's log in the order of its events. */
export async function messagesOf(
  api: ApiClient,
  id: string,
  query: Record<string, string> = {},
): Promise<MessageRecord[]> {
  const search = new URLSearchParams({ limit: '200', ...query });
  const { items } = ok(await api.get(`${CHANNELS}/${id}/messages?${search}`)).json<Page<MessageRecord>>();
  return items.reverse();
}

/** Inbound messages, once there are this many. */
export function inboundOf(api: ApiClient, id: string, count: number): Promise<MessageRecord[]> {
  return waitFor(`${count} inbound messages`, async () => {
    const found = await messagesOf(api, id, { direction: 'in' });
    return found.length >= count ? found : undefined;
  });
}

/** A different code. */
export function otherCode(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, '0');
}
