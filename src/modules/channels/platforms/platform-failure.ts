import { UNREACHED_PLATFORM } from '../../../common/contract/unreached-platform.js';
import { errorCode } from '../../../common/error-code.js';
import { PlatformError } from './channel-adapter.js';
import type { SendOutcome, UploadOutcome } from './outbound-message.js';
import type { PlatformFault } from './platform.js';

/** The fault of a channel whose secrets do not match a request that named it. */
export const UNPROVEN_REQUEST = 'A request came whose signature does not fit the secrets of this channel.';

/** The fault of a channel whose platform sent another verify token. */
export const FOREIGN_HANDSHAKE = 'The platform asked for the receiver with another verify token.';

/** Errors that only occur while connecting, before a byte of the request is sent. */
const BEFORE_SENDING = new Map([
  ['ECONNREFUSED', 'the platform refuses connections'],
  ['ENOTFOUND', "the platform's name cannot be resolved"],
  ['EAI_AGAIN', "the platform's name cannot be resolved at the moment"],
  ['EHOSTUNREACH', 'the platform cannot be reached'],
  ['ENETUNREACH', 'the network cannot be reached'],
  ['UND_ERR_CONNECT_TIMEOUT', 'the platform cannot be reached in time'],
]);

/** Certificate errors, which occur before the request is sent. */
const CERTIFICATE = /^(CERT_|DEPTH_ZERO_SELF|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT)/;

/**
 * What a failed `fetch` means for the sender, in fixed words: messages and causes of `fetch` may quote the request, and Telegram's URL
 * contains the token.
 */
export function failureOf(error: unknown): PlatformError {
  const chain = causesOf(error);
  const known = chain.find((one) => one instanceof PlatformError);
  if (known) return known;
  for (const code of chain.flatMap((one) => errorCode(one) ?? [])) {
    const words = BEFORE_SENDING.get(code);
    if (words !== undefined) return new PlatformError(words, true);
    if (CERTIFICATE.test(code)) return new PlatformError("the platform's certificate is not valid", true);
  }
  return new PlatformError('the connection to the platform broke', false);
}

/** An error and its causes; if several addresses were tried, those of the last. */
function causesOf(error: unknown): object[] {
  const chain: object[] = [];
  let at: unknown = error;
  for (let depth = 0; depth < 5 && typeof at === 'object' && at !== null; depth++) {
    chain.push(at);
    at = 'errors' in at && Array.isArray(at.errors) ? at.errors.at(-1) : 'cause' in at ? at.cause : null;
  }
  return chain;
}

/** Shorter values are not secrets; removing them would only make the text unreadable. */
const MIN_SECRET_LENGTH = 4;

/** A platform's words for people: without secrets, on one line, at most 300 characters. */
export function withoutSecrets(words: string, secrets: readonly string[]): string {
  let text = words;
  for (const secret of secrets.flatMap((one) => [one, encodeURIComponent(one)])) {
    if (secret.length >= MIN_SECRET_LENGTH) text = text.replaceAll(secret, '***');
  }
  return text
    .replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim()
    .slice(0, 300)
    .toWellFormed();
}

/** The outcome of a send that failed without a response. */
export function outcomeOfFailure(error: unknown): SendOutcome {
  const failure = failureOf(error);
  return failure.isCertain
    ? { kind: 'later', reason: failure.message, afterMs: failure.retryAfterMs }
    : { kind: 'unknown', reason: failure.message };
}

/** The same for an upload, which nobody sees and which may be repeated. */
export function uploadFailure(error: unknown): UploadOutcome {
  const { message: reason, retryAfterMs: afterMs } = failureOf(error);
  return { kind: 'later', reason, afterMs };
}

/**
 * `<PLATFORM>` stands for the platform's name in settings. The patterns match the messages of `platform-failure.ts` and
 * `platform-calls.ts`.
 */
const COMMON_FAULTS: readonly PlatformFault[] = [
  {
    pattern: UNREACHED_PLATFORM,
    remedy:
      'This server does not get through to the platform. Check its network, proxy and DNS, and WAYSTATION_<PLATFORM>_API_URL if it is set.',
  },
  {
    pattern: /certificate is not valid/i,
    remedy: 'Check the clock of this machine, and whether a proxy stands between it and the platform.',
  },
  {
    pattern: /not in its own format|answer of the platform is too long/i,
    remedy:
      'Something else answered: a proxy, or WAYSTATION_<PLATFORM>_API_URL names a wrong address. It may also pass by itself: try again.',
  },
  {
    pattern: /characters that cannot be sent/i,
    remedy: 'Copy the token again, without spaces or line breaks, and replace the config.',
  },
  {
    pattern: /the channel is disabled/i,
    remedy: 'Enable the channel.',
  },
];

/** Faults on the way to any platform, worded for this one. */
export function commonFaultsOf(type: string): PlatformFault[] {
  return COMMON_FAULTS.map(({ pattern, remedy }) => ({
    pattern,
    remedy: remedy.replace('<PLATFORM>', type.toUpperCase()),
  }));
}
