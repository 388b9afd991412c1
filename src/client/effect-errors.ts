import { ApiRefusalError } from './latest-reader.js';

/** An effect as the API has it, without its arguments, result and error. */
export interface EffectSummary {
  thread_id: string;
  key: string;
  trace_id: string;
  agent_id: string;
  tool: string;
  kind: 'write' | 'idempotent';
  call_id: string | null;
  state: 'started' | 'completed' | 'failed' | 'not_done';
  in_doubt: boolean;
  attempt: number;
  holder: string | null;
  started_at: string;
  settled_at: string | null;
  result_omitted: boolean;
  decided_by: string | null;
  reason: string | null;
}

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

/** Nobody knows whether the call was made: find out, and settle the effect. */
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
