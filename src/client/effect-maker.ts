import { EFFECT_SETTLED } from '../common/contract/event-types.js';
import type { ApiConnection } from './api-connection.js';
import type { EffectAttempt, EffectCall } from './effect-call.js';
import { EffectClaimer, type EffectRun, type Settling } from './effect-claimer.js';
import { isFinal, type PatientRequests } from './patient-requests.js';

/** Hands an event to the spool. */
type Report = (type: string, data: { thread_id: string; [member: string]: unknown }) => Promise<void>;

/** Makes tool calls that change the world, each at most once. */
export class EffectMaker {
  constructor(
    private readonly connection: ApiConnection,
    private readonly requests: PatientRequests,
    private readonly report: Report,
  ) {}

  async make<T>(run: EffectRun, call: EffectCall, make: (attempt: EffectAttempt) => Promise<T> | T): Promise<T> {
    const claimer = new EffectClaimer(this.connection, run, call);
    const claim = await this.requests.untilAnswered(call.signal, (signal) => claimer.claim<T>(signal));
    if (!claim.isStarted) return claim.result;
    const { attempt } = claim;
    let result: T;
    try {
      result = await make({ key: call.key, attempt });
    } catch (error) {
      // What is not settled is in doubt all the same: the error of the call says more.
      await this.settle(claimer, claimer.failed(attempt, error)).catch(() => undefined);
      throw error;
    }
    await this.settle(claimer, claimer.completed(attempt, result));
    return result;
  }

  /** At once, or by the spool where there is no answer: the same settling twice changes nothing. */
  private async settle(claimer: EffectClaimer, settling: Settling): Promise<void> {
    try {
      await claimer.settle(settling, this.requests.end);
    } catch (error) {
      if (isFinal(error)) throw error;
      await this.report(EFFECT_SETTLED, claimer.eventOf(settling));
    }
  }
}
