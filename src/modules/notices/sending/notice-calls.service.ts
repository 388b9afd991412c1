import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { callOut, CallTimedOut, type OutboundResponse } from '../../../common/outbound-call.js';
import { VERSION } from '../../../common/version.js';
import { NoticesConfig } from '../../../config/notices.config.js';
import { isLoopbackHost } from '../../../config/loopback.js';
import { ServerConfig } from '../../../config/server.config.js';
import type { AddressRules } from '../notice-address.js';
import type { Notice } from '../notice.entity.js';
import { NoticeVault } from '../notice-vault.js';
import { AddressRefused, guardedSend } from './guarded-send.js';
import { signedHeaders } from './notice-signature.js';
import { askedPause } from './retry-plan.js';

const TIMEOUT_MS = 15_000;
/** Responses arrive in chunks of up to 64 KiB; longer ones are discarded. */
const MAX_READ_BYTES = 128 * 1024;
/** Bytes of a response that people can see. */
const MAX_ANSWER_BYTES = 1024;

export interface CallOutcome {
  isDelivered: boolean;
  /** Null without a response. */
  status: number | null;
  /** Null if delivered; never the URL or a secret. */
  error: string | null;
  /** The beginning of the response. */
  answer: string | null;
  /** What the receiver asked for. */
  retryAfterMs: number | null;
}

/** A queued chat message counts as delivered: the outbox does the rest. */
export const POSTED: CallOutcome = { isDelivered: true, status: null, error: null, answer: null, retryAfterMs: null };
export const CHANNEL_UNUSABLE = failed('the channel is disabled, not verified or gone');

@Injectable()
export class NoticeCallsService {
  constructor(
    private readonly vault: NoticeVault,
    private readonly clock: Clock,
    private readonly server: ServerConfig,
    private readonly config: NoticesConfig,
  ) {}

  get rules(): AddressRules {
    const { host, receiverHost, receiverPort } = this.server;
    const isLocal = isLoopbackHost(host) && (receiverPort === null || isLoopbackHost(receiverHost));
    return { isLocal, privateHosts: this.config.hosts };
  }

  /** One attempt. @throws the reason of `stop` */
  async call(notice: Notice, id: string, body: string, stop: AbortSignal): Promise<CallOutcome> {
    const nowMs = this.clock.nowMs();
    const secrets = this.vault.secretsOf(notice, nowMs);
    if (secrets.length === 0) return failed('its secret was sealed with another machine secret: renew it');
    const headers = new Headers({
      ...signedHeaders({ id, atMs: nowMs, body }, secrets),
      'content-type': 'application/json',
      'user-agent': `Waystation/${VERSION}`,
    });
    try {
      const exchange = { url: new URL(notice.url!), headers, body, timeoutMs: TIMEOUT_MS, maxBytes: MAX_READ_BYTES };
      return this.outcomeOf(await callOut({ method: 'POST', ...exchange, stop }, guardedSend(this.rules)));
    } catch (error) {
      if (stop.aborted) throw error;
      return failed(wordsOf(error));
    }
  }

  private outcomeOf({ status, headers, bytes }: OutboundResponse): CallOutcome {
    const answer = beginningOf(bytes);
    const isDelivered = status >= 200 && status < 300;
    const isRedirect = status >= 300 && status < 400;
    const error = `the receiver answered ${status}${isRedirect ? '; redirects are not followed' : ''}`;
    const retryAfterMs = askedPause(headers.get('retry-after'), this.clock.nowMs());
    return { isDelivered, status, error: isDelivered ? null : error, answer, retryAfterMs };
  }
}

/** Without a character that the limit cuts. */
function beginningOf(bytes: Uint8Array): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return decoder.decode(bytes.subarray(0, MAX_ANSWER_BYTES), { stream: true }).replaceAll('\0', '');
}

function failed(error: string): CallOutcome {
  return { isDelivered: false, status: null, error, answer: null, retryAfterMs: null };
}

/** Without the address, which may hold a secret. */
function wordsOf(error: unknown): string {
  if (error instanceof CallTimedOut) return `no complete response arrived within ${TIMEOUT_MS / 1000} seconds`;
  if (error instanceof AddressRefused) return `not allowed: the URL ${error.message}`;
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' ? `the connection failed (${code})` : 'the connection failed';
}
