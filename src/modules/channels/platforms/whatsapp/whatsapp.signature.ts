import { createHmac } from 'node:crypto';
import { isSameSecret } from '../../../../common/constant-time.js';
import type { ChannelAccount, WebhookClaim, WebhookRequest } from '../channel-adapter.js';

/** Meta writes small letters; anything else is not from there. */
const SIGNATURE = /^sha256=[0-9a-f]{64}$/;

/** Meta puts at most so many updates into one request (graph-api/webhooks/getting-started); what strangers send may hold any number. */
const MAX_NUMBERS = 1000;

/** As Meta writes it. Strangers may write it otherwise: then no number is named, and all secrets are tried. */
const NUMBER = /"phone_number_id"\s*:\s*"?(\d{1,32})(?!\d)/g;

/**
 * The numbers that a batch is for, which say whose secrets to try first. They are looked for in the bytes: to parse what nobody has proved
 * would cost far more than the proof.
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

/** HMAC-SHA256 over the bytes as they came: Meta escapes characters that no serialiser here would. */
export function isProven(request: WebhookRequest, { config }: ChannelAccount): boolean {
  const signature = signatureOf(request);
  if (signature === null) return false;
  const expected = createHmac('sha256', String(config.app_secret)).update(request.rawBody).digest('hex');
  return isSameSecret(signature, `sha256=${expected}`);
}

/** Whether it is Meta's question. Express leaves the dots in the names of the parameters; one that comes twice is a list. */
export function isHandshake(query: Readonly<Record<string, unknown>>): boolean {
  return query['hub.mode'] === 'subscribe' && typeof query['hub.verify_token'] === 'string';
}

/** The challenge to echo, where the question is Meta's and its verify token the configured one. */
export function handshake(query: Readonly<Record<string, unknown>>, { config }: ChannelAccount): string | null {
  const challenge = query['hub.challenge'];
  if (!isHandshake(query) || typeof challenge !== 'string') return null;
  const isOurs = isSameSecret(String(query['hub.verify_token']), String(config.verify_token));
  return isOurs && /^[\w.~-]{1,512}$/.test(challenge) ? challenge : null;
}

function signatureOf({ headers }: WebhookRequest): string | null {
  const header = headers['x-hub-signature-256'];
  return header !== undefined && SIGNATURE.test(header) ? header : null;
}
