import type { FieldFault } from '../../../common/domain-error.js';

/** The name under which a stored config keeps unknown members: separate, so that nothing interprets them. */
export const EXTRAS = '*';
/** What our responses add to a config; a client may send back what it received. */
const ANSWERED = ['verification_code'];
const NAME = /^[a-z][A-Za-z0-9_]{0,39}$/;
const MAX_EXTRAS = 50;
const MAX_JSON = 16_384;

const MAX_LEVELS = 20;

/** Names of secrets; a false match only leaves the member out of responses. */
const SECRET_PART = /secret|token|passw|passphrase|passcode|credential|bearer|cookie|signature|key$/i;
/** The same as whole words of a name, in lower case with underscores. */
const SECRET_WORD =
  /(?:^|_)(?:keys?|pass|pwd|auth|authorization|pin|salt|hash|cert|certificate|jwt|otp|private|session|sid|signing|creds?|(?:access|verification|pairing|backup|recovery|security)_codes?)(?:_|$)/;
/** Forms of secrets: Telegram bot tokens, Slack and Meta tokens, signed tokens, keys, URLs with a password, long random words. */
const SECRET_VALUE =
  /(?<!\d)\d{5,20}:[\w-]{20}|\bx(?:ox[a-z]|app)-|\bEAA[A-Za-z0-9]{10}|\beyJ[\w-]{10}|-----BEGIN |\bBearer |:\/\/[^/\s]{0,200}:[^/\s]{0,200}@|\b(?:sk|pk|ghp|gho|glpat)[-_]\w{10}/;
const RANDOM_WORD = /(?<![A-Za-z0-9])[A-Za-z0-9]{32,}(?![A-Za-z0-9])/g;
/** Shorter secrets would match anywhere. */
const MIN_SECRET_LENGTH = 4;

/** Members that the platform's fields do not name. Never throws: what cannot be kept becomes a fault, which names no value. */
export function readExtras(members: readonly (readonly [string, unknown])[]): {
  extras: Readonly<Record<string, unknown>> | null;
  faults: readonly FieldFault[];
} {
  const kept = members.filter(([name]) => !ANSWERED.includes(name));
  const extras = Object.fromEntries(kept);
  const faults: FieldFault[] = [];
  // An invalid name may be a value in the wrong place.
  if (kept.some(([name]) => !NAME.test(name))) {
    faults.push({ path: 'config', detail: 'has a member whose name is not 1 to 40 letters, digits and underscores' });
  }
  if (isDeeperThan(extras, MAX_LEVELS)) {
    faults.push({ path: 'config', detail: `has a member of more than ${MAX_LEVELS} levels` });
  } else if (kept.length > MAX_EXTRAS || JSON.stringify(extras).length > MAX_JSON) {
    const limits = `${MAX_EXTRAS} members and ${MAX_JSON} characters of JSON`;
    faults.push({ path: 'config', detail: `members that the platform does not know are limited to ${limits}` });
  }
  return { extras: kept.length === 0 ? null : extras, faults };
}

/** Whether a member must not be shown: because of its name, names within it, or a value that contains a known secret or looks like one. */
export function isSecretExtra(name: string, value: unknown, secrets: readonly string[]): boolean {
  if (isSecretName(name) || secrets.includes(name)) return true;
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).some(([inner, one]) => isSecretExtra(inner, one, secrets));
  }
  const text = String(value);
  return looksSecret(text) || secrets.some((secret) => holds(text, secret));
}

function isSecretName(name: string): boolean {
  const words = name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').replaceAll(/[^A-Za-z0-9]+/g, '_');
  return SECRET_PART.test(name) || SECRET_WORD.test(words.toLowerCase());
}

function looksSecret(text: string): boolean {
  const words = text.match(RANDOM_WORD) ?? [];
  return SECRET_VALUE.test(text) || words.some((word) => /\d/.test(word) && /[A-Za-z]/.test(word));
}

function holds(text: string, secret: string): boolean {
  return text === secret || (secret.length >= MIN_SECRET_LENGTH && text.includes(secret));
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isDeeperThan(one, levels - 1));
}
