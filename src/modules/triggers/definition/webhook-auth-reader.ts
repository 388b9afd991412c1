import type { Environment } from '../../../config/env-reader.js';
import type { WebhookAuth } from './definition.js';
import type { Fields } from './fields.js';
import { replaceVariables } from './variables.js';

/** Where GitHub and those that follow it put the signature. */
const DEFAULT_HEADER = 'x-hub-signature-256';
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const TOKEN = /^[\x21-\x7e]+$/;

/** Reads `auth` of a webhook; null where there is none. An `auth` without content is a fault: it must never mean an open door. */
export function readWebhookAuth(fields: Fields, variables: Environment): WebhookAuth | null {
  if (!fields.hasKey('auth')) return null;
  const auth = fields.section('auth');
  if (auth === null) return null;
  const type = auth.get('type');
  if (type === 'bearer') return { type, token: readToken(auth, variables) };
  if (type === 'hmac') return { type, secret: readSecret(auth, 'secret', variables), header: readHeader(auth) };
  return auth.fault('type', `${type === undefined ? 'is missing: ' : 'must be '}one of bearer, hmac`);
}

function readToken(auth: Fields, variables: Environment): string {
  const token = readSecret(auth, 'token', variables);
  if (token !== '' && !TOKEN.test(token)) auth.fault('token', 'must be printable characters without spaces');
  return token;
}

function readSecret(auth: Fields, key: string, variables: Environment): string {
  if (!auth.has(key)) {
    auth.fault(key, 'is missing');
    return '';
  }
  const { text, faults } = replaceVariables(auth.text(key) ?? '', variables);
  for (const fault of faults) auth.fault(key, fault);
  if (text === '' && faults.length === 0 && auth.text(key) !== null) auth.fault(key, 'must not be empty');
  return text;
}

function readHeader(auth: Fields): string {
  const header = auth.text('header');
  if (header === null) return DEFAULT_HEADER;
  if (!HEADER_NAME.test(header)) auth.fault('header', 'must be the name of a header');
  return header.toLowerCase();
}
