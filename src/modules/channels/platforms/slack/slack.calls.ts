import { idIn, textIn, type JsonObject } from '../../../../common/json-fields.js';
import { PlatformError, type ChannelAccount } from '../channel-adapter.js';
import type { SendOutcome } from '../outbound-message.js';
import type { PlatformAnswer, PlatformCalls } from '../platform-calls.js';
import { withoutSecrets } from '../platform-failure.js';

/** Nothing happened, and it may be better soon. */
const PASSING = ['ratelimited', 'rate_limited', 'service_unavailable', 'request_timeout', 'team_added_to_org'];

/** "It's possible some aspect of the operation succeeded before the error was raised" (docs.slack.dev, chat.postMessage). */
const UNCERTAIN = ['internal_error', 'fatal_error'];

/** The bot cannot write there before somebody lets it in again. */
const CLOSED = [
  'channel_not_found',
  'is_archived',
  'not_in_channel',
  'user_not_found',
  'cannot_dm_bot',
  'user_disabled',
];

/** An answer in the Web API's own format. */
export interface SlackAnswer {
  body: JsonObject;
  /** Null where it is no error. */
  error: string | null;
  retryAfterMs: number | null;
}

/** Methods of Slack's Web API for one workspace. */
export class SlackCalls {
  constructor(
    private readonly calls: PlatformCalls,
    private readonly baseUrl: string,
  ) {}

  /** @throws PlatformError where there is no answer in the Web API's format */
  async call(account: ChannelAccount, method: string, body: JsonObject, signal: AbortSignal): Promise<SlackAnswer> {
    const { bot_token, signing_secret } = account.config;
    const headers = { authorization: `Bearer ${String(bot_token)}` };
    const url = `${this.baseUrl}/${method}`;
    const answer = await this.calls.call({ method: 'POST', url, headers, body }, signal);
    return readAnswer(answer, [bot_token, signing_secret].map(String));
  }

  /** The body of a method that must succeed. @throws PlatformError */
  async result(account: ChannelAccount, method: string, body: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const answer = await this.call(account, method, body, signal);
    if (answer.error !== null) throw new PlatformError(answer.error, true, answer.retryAfterMs);
    return answer.body;
  }
}

export function outcomeOf({ body, error, retryAfterMs }: SlackAnswer): SendOutcome {
  if (error === null) {
    const messageId = idIn(body, 'ts');
    if (messageId !== null) return { kind: 'sent', messageId };
    return { kind: 'unknown', reason: 'the answer of the platform names no message' };
  }
  if (UNCERTAIN.includes(error)) return { kind: 'unknown', reason: error };
  if (PASSING.includes(error)) return { kind: 'later', reason: error, afterMs: retryAfterMs };
  return { kind: 'refused', reason: error, isChatClosed: CLOSED.includes(error), movedTo: null };
}

function readAnswer({ status, body, retryAfterMs }: PlatformAnswer, secrets: readonly string[]): SlackAnswer {
  const words = textIn(body, 'error');
  if (status === 429) return { body: body ?? {}, error: 'ratelimited', retryAfterMs };
  const isOwn = body?.ok === true || (body?.ok === false && words !== null);
  if (!isOwn) throw new PlatformError(`the platform answered with status ${status} and not in its own format`, false);
  return { body: body ?? {}, error: body?.ok === true ? null : withoutSecrets(words ?? '', secrets), retryAfterMs };
}
