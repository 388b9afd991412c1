import { createHmac } from 'node:crypto';
import { isSameSecret } from '../../../../common/constant-time.js';
import type { ChannelAccount, WebhookClaim, WebhookRequest } from '../channel-adapter.js';

const SIGNATURE = /^v0=[0-9a-f]{64}$/;

/** Seconds; both ways, as a clock that is ahead would let a request be replayed later. */
const MAX_AGE_SECONDS = 300;

/** Slack's requests name a workspace, but apps and tokens only by ids that no config holds: the signature has to tell. */
export function claimOf(request: WebhookRequest): WebhookClaim {
  return { by: proofOf(request) === null ? 'none' : 'type' };
}

export function isProven(request: WebhookRequest, { config }: ChannelAccount): boolean {
  const proof = proofOf(request);
  if (proof === null || Math.abs(request.receivedAtMs / 1000 - Number(proof.timestamp)) > MAX_AGE_SECONDS) return false;
  const hmac = createHmac('sha256', String(config.signing_secret));
  const expected = hmac.update(`v0:${proof.timestamp}:`).update(request.rawBody).digest('hex');
  return isSameSecret(proof.signature, `v0=${expected}`);
}

function proofOf({ headers }: WebhookRequest): { signature: string; timestamp: string } | null {
  const signature = headers['x-slack-signature'];
  const timestamp = headers['x-slack-request-timestamp'];
  if (signature === undefined || !SIGNATURE.test(signature)) return null;
  return timestamp !== undefined && /^\d{1,12}$/.test(timestamp) ? { signature, timestamp } : null;
}
