import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
/** The specification asks for 24 to 64 (192 to 512 bits). */
const SECRET_BYTES = 32;

/** A new secret in the format of Standard Webhooks: a prefix and base64. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** The same for each attempt, except for the time. */
export interface SignedContent {
  id: string;
  atMs: number;
  body: string;
}

/**
 * The headers of Standard Webhooks (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
 * @param secrets each signs, so that a receiver may know either
 */
export function signedHeaders({ id, atMs, body }: SignedContent, secrets: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(atMs / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
