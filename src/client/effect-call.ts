import type { components } from './api/openapi.gen.js';
import { ApiRefusalError } from './latest-reader.js';

/** A tool call that changes the world. */
export interface EffectCall {
  /** What it does, not where in the run it stands: `refund:order-4711`. The thread and the agent have it once. Pass it on to what the tool calls. */
  key: string;
  tool: string;
  /** As JSON. A key stands for these arguments for ever: others are refused. */
  args?: unknown;
  /** Default `write`; `idempotent` for a call that may be made twice. */
  kind?: 'write' | 'idempotent';
  /** The framework's id of the call. If a person was asked about it, what they decided counts. */
  callId?: string;
  /** Who makes the call, for people to read. */
  holder?: string;
  /** The current fence of the run's lease. */
  fence?: number;
  /** Seconds after which a `write` that was claimed without a lease is in doubt. Default: 300. */
  doubtAfterSeconds?: number;
  /** Ends the wait for the API before the call is made; afterwards it has no effect. */
  signal?: AbortSignal;
}

/** What the function that makes the call gets. */
export interface EffectAttempt {
  key: string;
  /** From 1; higher where it was claimed before. */
  attempt: number;
}

/** A tool call that changes the world, as the API has it, without its arguments, result and error. */
export type EffectSummary = components['schemas']['EffectSummaryDto'];

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
