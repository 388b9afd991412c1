import type { components } from './api/openapi.gen.js';
import { ApiRefusalError } from './latest-reader.js';

/** A tool call with side effects. */
export interface EffectCall {
  /**
   * Describes the action, not its place in the run: `refund:order-4711`. Unique for an agent in a thread. Pass it on to what the tool
   * calls.
   */
  key: string;
  tool: string;
  /** JSON. A key always stands for these arguments; others are refused. */
  args?: unknown;
  /** Default `write`; `idempotent` for a call that may be made twice. */
  kind?: 'write' | 'idempotent';
  /** The framework's id of the call. If a person was asked about it, their decision applies. */
  callId?: string;
  /** The caller's name, for people to read. */
  holder?: string;
  /** The current fence of the run's lease. */
  fence?: number;
  /** Seconds after which a `write` claimed without a lease is in doubt. Default: 300. */
  doubtAfterSeconds?: number;
  /** Ends the wait for the API before the call is made; has no effect afterwards. */
  signal?: AbortSignal;
}

/** The argument of the function that makes the call. */
export interface EffectAttempt {
  key: string;
  /** From 1; higher if it was claimed before. */
  attempt: number;
}

/** A tool call with side effects, as the API returns it, without its arguments, result and error. */
export type EffectSummary = components['schemas']['EffectSummaryDto'];

/** Throw it from an effect's function if nothing happened: the effect can then be claimed again. */
export class NoEffectError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NoEffectError';
  }
}

/** The API refused to claim or to settle an effect. */
export class EffectRefusedError extends ApiRefusalError {
  constructor(
    status: number,
    /** `approval_pending`, `effect_rejected`, `stale_fence`, `effect_mismatch` or another documented code. */
    readonly code: string,
    message: string,
    /** Null if there is none. */
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

/** The call was made, but its result was too large to store. */
export class ResultOmittedError extends Error {
  constructor(readonly effect: EffectSummary) {
    super(`The result of ${effect.key} was too large to be kept.`);
    this.name = 'ResultOmittedError';
  }
}
