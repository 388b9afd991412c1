import type { EffectSummary } from './effect-summary.js';
import { ApiRefusalError } from './latest-reader.js';

/** Throw it from the function of an effect to say that nothing happened: the effect can then be claimed again. */
export class NoEffectError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NoEffectError';
  }
}

/** The API refused a claim or a settling. */
export class EffectRefusedError extends ApiRefusalError {
  constructor(
    status: number,
    /** Why: `approval_pending`, `effect_rejected`, `stale_fence`, `effect_mismatch` and the others that the API documents. */
    readonly code: string,
    message: string,
    /** Null where there is none. */
    readonly effect: EffectSummary | null,
  ) {
    super(status, message);
    this.name = 'EffectRefusedError';
  }
}

/** Nobody knows whether the call was made: find out, and settle the effect with the command that the message names. */
export class EffectInDoubtError extends Error {
  constructor(
    message: string,
    readonly effect: EffectSummary,
  ) {
    super(message);
    this.name = 'EffectInDoubtError';
  }
}

/** The call was made, but its result was too large to be kept. */
export class ResultOmittedError extends Error {
  constructor(readonly effect: EffectSummary) {
    super(`The result of ${effect.key} was too large to be kept.`);
    this.name = 'ResultOmittedError';
  }
}
