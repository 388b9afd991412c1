import { isSameSecret } from '../../../../common/constant-time.js';
import { digestOf } from '../../../../common/digest.js';
import type { ChannelAccount, WebhookClaim, WebhookRequest } from '../channel-adapter.js';

const HEADER = 'x-telegram-bot-api-secret-token';

/**
 * Telegram's updates do not name their bot: each bot gets a secret of its own, which is both name and proof.
 * Only a request without the header has no proof in it; a strange header is a wrong one.
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
