import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { trimEndOf } from '../../../common/trim-end.js';
import type { HmacAlgorithm, SignatureAuth, TokenAuth } from '../definition/definition.js';
import {
  secretMissing,
  secretWrong,
  signatureExpired,
  signatureMissing,
  signatureWrong,
  timestampMissing,
  tokenMissing,
  tokenWrong,
} from './webhooks.errors.js';

const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;
/** An HMAC in hex or either base64 of RFC 4648, with an optional label: `sha256=`, `v1=` or `v1,`. */
const SIGNATURE = /(?<![^\s,])(?:([a-z]\w{0,9})[=,][ \t]*)?([\w+/-]{27,128}={0,2})(?![^\s,])/gi;
/** In the signature's header. */
const TIME = /(?<![^\s,])t=(\d{1,13})(?![^\s,])/;
const SECONDS = /^\d{1,13}$/;
const MAX_SIGNATURES = 10;
const MAX_SKEW_MS = 300_000;
/** Larger numbers must be milliseconds, not seconds. */
const FIRST_MILLISECONDS = 100_000_000_000;
const BYTES: Readonly<Record<HmacAlgorithm, number>> = { sha1: 20, sha256: 32, sha512: 64 };

/** What a signature is checked against. */
export interface SignedRequest {
  header(name: string): string | undefined;
  body: Buffer;
  nowMs: number;
}

/**
 * Takes the same time for every wrong token.
 * @throws DomainError `unauthenticated`
 */
export function checkBearer(authorization: string | undefined, expected: string): void {
  const token = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  if (token === undefined) throw tokenMissing();
  if (!isSame(token, expected)) throw tokenWrong();
}

/**
 * Takes the same time for every wrong secret.
 * @throws DomainError `unauthenticated`
 */
export function checkToken({ header, secrets }: TokenAuth, sent: string | undefined): void {
  if (sent === undefined) throw secretMissing(header);
  if (secrets.filter((secret) => isSame(sent, secret)).length === 0) throw secretWrong(header);
}

/**
 * Checks whether any of the signatures matches with any of the keys, in the same time for every wrong one.
 * @throws DomainError `unauthenticated`; also for a time that is more than 300 s off
 */
export function checkSignature(auth: SignatureAuth, request: SignedRequest): void {
  const sent = request.header(auth.header)?.trim() ?? '';
  const given = signaturesIn(sent, auth);
  if (given.length === 0) throw signatureMissing(auth.header);
  const hasTime = auth.signed.some((part) => typeof part === 'object' && part.kind === 'timestamp');
  const timestamp = hasTime ? timeOf(auth, sent, request) : '';
  const signed = Buffer.concat(auth.signed.map((part) => signedBytes(part, timestamp, request)));
  const expected = auth.keys.map((key) => createHmac(auth.algorithm, key).update(signed).digest());
  const isRight = expected.map((one) => given.filter((other) => timingSafeEqual(one, other)).length > 0);
  if (!isRight.includes(true)) throw signatureWrong();
}

/** The time as sent, because its digits are signed. */
function timeOf(auth: SignatureAuth, signature: string, { header, nowMs }: SignedRequest): string {
  const { timestampHeader } = auth;
  const sent = timestampHeader === null ? TIME.exec(signature)?.[1] : header(timestampHeader);
  if (sent === undefined || !SECONDS.test(sent)) throw timestampMissing(timestampHeader ?? `t= in ${auth.header}`);
  const time = Number(sent);
  const timeMs = time < FIRST_MILLISECONDS ? time * 1000 : time;
  if (Math.abs(nowMs - timeMs) > MAX_SKEW_MS) throw signatureExpired();
  return sent;
}

function signedBytes(part: SignatureAuth['signed'][number], timestamp: string, request: SignedRequest): Buffer {
  if (typeof part === 'string') return Buffer.from(part);
  if (part.kind === 'body') return request.body;
  return Buffer.from(part.kind === 'timestamp' ? timestamp : (request.header(part.name) ?? ''));
}

function signaturesIn(text: string, { algorithm, labels }: SignatureAuth): Buffer[] {
  const bytes = BYTES[algorithm];
  const found = [...text.matchAll(SIGNATURE)].slice(0, MAX_SIGNATURES);
  return found.flatMap(([, label = '', signature = '']) => {
    if (!labels.includes(label.toLowerCase())) return [];
    const isHex = signature.length === 2 * bytes && /^[\da-f]+$/i.test(signature);
    const decoded = Buffer.from(signature, isHex ? 'hex' : 'base64');
    const isWhole = isHex || trimEndOf(signature, '=').length === Math.ceil((bytes * 4) / 3);
    return decoded.length === bytes && isWhole ? [decoded] : [];
  });
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
