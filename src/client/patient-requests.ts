import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '../common/backoff.js';
import { joinAborts } from '../common/joined-abort.js';
import { API_BACKOFF, type ApiConnection } from './api-connection.js';
import { EffectInDoubtError, ResultOmittedError } from './effect-call.js';
import { LeaseHeldError } from './lease-requests.js';
import { ApiRefusalError } from './latest-reader.js';
import { noResponse, type OutageNotice } from './outage-notice.js';

/** Name in outage notices. */
const PART = 'latest';

/** Requests that wait for the API while it is down. */
export class PatientRequests {
  /** @param end ends all of them */
  constructor(
    private readonly connection: ApiConnection,
    private readonly notice: OutageNotice,
    readonly end: AbortSignal,
  ) {}

  /**
   * Tries until the API answers.
   * @param wanted ends the wait
   * @throws errors that retrying would not fix; the reason of the signal that aborted
   */
  async untilResponse<T>(wanted: AbortSignal | undefined, request: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal, release } = joinAborts(...(wanted ? [wanted, this.end] : [this.end]));
    const backoff = new Backoff(API_BACKOFF);
    try {
      for (;;) {
        const answered = this.notice.expectResponse(PART, this.connection.url);
        try {
          const answer = await request(signal);
          this.notice.end(PART);
          return answer;
        } catch (error) {
          this.note(error, signal);
          await sleep(backoff.next(), undefined, { signal }).catch(() => signal.throwIfAborted());
        } finally {
          answered();
        }
      }
    } finally {
      release();
    }
  }

  /** @throws errors that retrying would not fix */
  private note(error: unknown, signal: AbortSignal): void {
    const { url } = this.connection;
    if (signal.aborted) {
      this.notice.leave(PART);
      throw signal.reason;
    }
    if (isFinal(error)) {
      this.notice.end(PART);
      throw error;
    }
    const words =
      error instanceof ApiRefusalError ? `${url} answers with status ${error.status}` : noResponse(url, error);
    this.notice.begin(PART, words);
  }
}

/** Whether the API has answered, and retrying would not change the answer. */
export function isFinal(error: unknown): boolean {
  if (error instanceof ApiRefusalError) return !error.isPassing;
  return [EffectInDoubtError, ResultOmittedError, LeaseHeldError].some((kind) => error instanceof kind);
}
