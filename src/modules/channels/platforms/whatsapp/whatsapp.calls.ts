import { idIn, numberIn, objectIn, objectsIn, textIn, type JsonObject } from '../../../../common/json-fields.js';
import { PlatformError, type ChannelAccount } from '../channel-adapter.js';
import type { SendOutcome } from '../outbound-message.js';
import type { PlatformAnswer, PlatformCall, PlatformCalls } from '../platform-calls.js';
import { withoutSecrets } from '../platform-failure.js';

/** Codes of limits and of passing trouble: developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes. */
const PASSING = new Set([1, 2, 4, 80007, 130429, 131000, 131016, 131048, 131056, 131057, 133004, 133016]);

/** "Re-engagement message": more than 24 hours since the person wrote. */
const WINDOW_CLOSED = 131047;

/** Too many messages to one person: Meta tolerates one in 6 seconds. */
const PAIR_RATE = 131056;
const PAIR_RATE_MS = 6_000;

/** An answer in the Graph API's own format. */
export interface GraphAnswer {
  body: JsonObject;
  /** Null where it is no error. */
  error: { code: number; words: string } | null;
  status: number;
  retryAfterMs: number | null;
}

/** Calls of Meta's Graph API for one number. */
export class WhatsappCalls {
  constructor(
    private readonly calls: PlatformCalls,
    private readonly baseUrl: string,
  ) {}

  /** @throws PlatformError where there is no answer in the Graph API's format */
  async call(
    account: ChannelAccount,
    call: Pick<PlatformCall, 'method' | 'body'> & { path: string },
    signal: AbortSignal,
  ): Promise<GraphAnswer> {
    const { access_token, app_secret, verify_token } = account.config;
    const headers = { authorization: `Bearer ${String(access_token)}` };
    const url = `${this.baseUrl}/${call.path}`;
    const answer = await this.calls.call({ method: call.method, url, headers, body: call.body }, signal);
    return readAnswer(answer, [access_token, app_secret, verify_token].map(String));
  }

  /** The body of a call that must succeed. @throws PlatformError */
  async result(
    account: ChannelAccount,
    call: Pick<PlatformCall, 'method' | 'body'> & { path: string },
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const { body, error, retryAfterMs } = await this.call(account, call, signal);
    if (error) throw new PlatformError(error.words, true, retryAfterMs);
    return body;
  }
}

export function outcomeOf({ body, error, status, retryAfterMs }: GraphAnswer): SendOutcome {
  if (!error) {
    const [message] = objectsIn(body, 'messages');
    const messageId = idIn(message ?? null, 'id');
    if (messageId !== null) return { kind: 'sent', messageId };
    return { kind: 'unknown', reason: 'the answer of the platform names no message' };
  }
  const isPassing = status === 429 || status >= 500 || PASSING.has(error.code);
  const usualMs = error.code === PAIR_RATE ? PAIR_RATE_MS : null;
  if (isPassing) return { kind: 'later', reason: error.words, afterMs: retryAfterMs ?? usualMs };
  return { kind: 'refused', reason: error.words, isChatClosed: error.code === WINDOW_CLOSED, movedTo: null };
}

function readAnswer({ status, body, retryAfterMs }: PlatformAnswer, secrets: readonly string[]): GraphAnswer {
  const error = objectIn(body, 'error');
  const isOwn = error !== null || (body !== null && status >= 200 && status < 300);
  if (!isOwn && status !== 429) {
    throw new PlatformError(`the platform answered with status ${status} and not in its own format`, false);
  }
  const code = numberIn(error, 'code') ?? 0;
  const words = textIn(objectIn(error, 'error_data'), 'details') ?? textIn(error, 'message') ?? `status ${status}`;
  const hasFailed = error !== null || status === 429;
  return {
    body: body ?? {},
    error: hasFailed ? { code, words: withoutSecrets(code === 0 ? words : `${code}: ${words}`, secrets) } : null,
    status,
    retryAfterMs,
  };
}
