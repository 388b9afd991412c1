import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { signatureMissing, signatureWrong, tokenMissing, tokenWrong } from './webhooks.errors.js';

const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;
const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;

/**
 * Checks a bearer token, in the same time for every wrong one.
 * @throws DomainError `unauthenticated`.
 */
export function checkBearer(authorization: string | undefined, expected: string): void {
  const token = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  if (token === undefined) throw tokenMissing();
  if (!timingSafeEqual(digest(token), digest(expected))) throw tokenWrong();
}

/**
 * Checks `sha256=<hex>` against the HMAC-SHA256 of the body, in the same time for every wrong one.
 * @param header name of the header, for the error
 * @throws DomainError `unauthenticated`.
 */
export function checkSignature(header: string, signature: string | undefined, secret: string, body: Buffer): void {
  const given = signature === undefined ? undefined : SIGNATURE.exec(signature.trim())?.[1];
  if (given === undefined) throw signatureMissing(header);
  const expected = createHmac('sha256', secret).update(body).digest();
  if (!timingSafeEqual(Buffer.from(given, 'hex'), expected)) throw signatureWrong();
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
