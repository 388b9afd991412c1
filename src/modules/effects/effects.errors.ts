import { DomainError, type DomainErrorKind } from '../../common/domain-error.js';
import type { Effect } from './effect.entity.js';
import type { ClaimRefusal } from './effect-rules.js';
import { effectSummary } from './effect-view.js';

const REFUSALS: Record<ClaimRefusal, [kind: DomainErrorKind, message: string]> = {
  stale_fence: ['conflict', 'Another process drives this run: the fence is not the current one.'],
  effect_mismatch: ['unprocessable', 'The key belongs to another call: its tool, kind or arguments differ.'],
  approval_pending: ['conflict', "This call waits for a person's decision."],
  effect_rejected: ['conflict', 'A person rejected this call, or nobody decided in time.'],
  approval_superseded: ['conflict', 'The approval of this call is superseded: nobody can decide on it any more.'],
  effect_not_approved: ['unprocessable', 'This call was approved with other arguments, or for another tool.'],
  effect_in_flight: ['conflict', 'Another process is making this call.'],
  effect_in_doubt: ['conflict', 'It is not known whether this call was made: find out, and settle the effect.'],
  effect_settled: ['conflict', 'This claim is settled; a new one needs its own claim_id.'],
};

/** @param members further members of the problem */
export function claimRefused(code: ClaimRefusal, members: Record<string, unknown>): DomainError {
  const [kind, message] = REFUSALS[code];
  return new DomainError(kind, code, message, { extensions: members });
}

export function staleAttempt(effect: Effect, isInDoubt: boolean): DomainError {
  const message = `The effect is at attempt ${effect.attempt}; nothing was changed.`;
  return new DomainError('conflict', 'stale_attempt', message, {
    extensions: { effect: effectSummary(effect, isInDoubt) },
  });
}

export function effectSettled(effect: Effect): DomainError {
  const message = `The effect already has another outcome: ${effect.state}.`;
  return new DomainError('conflict', 'effect_settled', message, {
    extensions: { effect: effectSummary(effect, false) },
  });
}

export function effectNotFound(): DomainError {
  return new DomainError('not_found', 'effect_not_found', 'The thread has no such effect.');
}

/** Several agents have an effect with the key. */
export function ambiguousEffect(agents: readonly string[]): DomainError {
  const message = 'Several agents have an effect with this key; choose one with agent_id.';
  return new DomainError('conflict', 'ambiguous_effect', message, { extensions: { agents } });
}

/** A run's token may settle all effects of its thread: its run may have found out what became of an earlier run's. */
export function notOfTokensThread(): DomainError {
  const message =
    'The token may only settle effects of its own thread. For others, use a token without `run` from: waystation token create --scope runner';
  return new DomainError('forbidden', 'run_not_allowed', message);
}
