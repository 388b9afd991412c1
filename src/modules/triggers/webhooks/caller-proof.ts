import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { signatureMissing, signatureWrong, tokenMissing, tokenWrong } from './webhooks.errors.js';

const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;
const PREFIX = /^sha256=[ \t]*/i;
const HEX = /^[0-9a-f]{64}$/i;
/** Of 32 bytes, in either alphabet of RFC 4648. */
const BASE64 = /^[\w+/-]{43}=?$/;

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
 * Checks a signature against the HMAC-SHA256 of the body, in the same time for every wrong one. Services write it as hex or base64, bare or
 * behind `sha256=`.
 * @param header name of the header, for the error
 * @throws DomainError `unauthenticated`.
 */
export function checkSignature(header: string, signature: string | undefined, secret: string, body: Buffer): void {
  const given = signature === undefined ? null : signatureBytes(signature.trim().replace(PREFIX, ''));
  if (given === null) throw signatureMissing(header);
  const expected = createHmac('sha256', secret).update(body).digest();
  if (!timingSafeEqual(given, expected)) throw signatureWrong();
}

function signatureBytes(text: string): Buffer | null {
  if (HEX.test(text)) return Buffer.from(text, 'hex');
  return BASE64.test(text) ? Buffer.from(text, 'base64') : null;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
