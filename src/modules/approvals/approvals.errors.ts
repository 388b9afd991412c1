import type { AllowedDecision } from '../../common/contract/questions.js';
import { DomainError, type FieldFault } from '../../common/domain-error.js';
import type { Approval } from './approval.entity.js';

export function approvalNotFound(): DomainError {
  return new DomainError('not_found', 'approval_not_found', 'There is no approval for this trace and step.');
}

/** The calls are not those that the person saw. */
export function staleDigest(candidates: readonly Approval[]): DomainError {
  return new DomainError('conflict', 'stale_digest', 'The tool calls have changed; look at them again.', {
    extensions: { approvals: candidates.map(addressOf) },
  });
}

/** More than one approval has, or had, the address. */
export function ambiguousApproval(candidates: readonly Approval[]): DomainError {
  const hint = 'More than one approval has this trace and step; choose one with digest or thread_id.';
  return new DomainError('conflict', 'ambiguous_approval', hint, {
    extensions: { approvals: candidates.map(addressOf) },
  });
}

export function approvalClosed(approval: Approval): DomainError {
  return new DomainError('conflict', 'approval_closed', `The approval is already ${approval.status}.`, {
    extensions: { approval: addressOf(approval) },
  });
}

/** Carrying out the decision needs features that the agent does not declare. */
export function missingFeatures(features: readonly string[]): DomainError {
  const names = features.join(' and ');
  return new DomainError(
    'conflict',
    'approval_feature_missing',
    `The agent does not declare approval_features ${names}: it would execute something else. Nothing was decided.`,
    { extensions: { missing_features: features } },
  );
}

/** Questions must be answered, not approved. */
export function answerRequired(): DomainError {
  const hint = 'A call asks questions: send the answers to .../answer, or decline with .../reject.';
  return new DomainError('conflict', 'answer_required', hint);
}

export function noQuestion(): DomainError {
  return new DomainError('conflict', 'no_question', 'No call asks a question: approve or reject them.');
}

/** A decision that its call does not allow. */
export interface RefusedDecision {
  index: number;
  decision: AllowedDecision;
  allowed_decisions: readonly AllowedDecision[];
}

/** The agent limits what people may decide about these calls. */
export function decisionNotAllowed(refused: readonly RefusedDecision[]): DomainError {
  const [{ index, decision, allowed_decisions: allowed }] = refused as readonly [RefusedDecision];
  const message = `Call ${index} does not allow ${decision}, only ${allowed.join(', ')}. Nothing was decided.`;
  return new DomainError('conflict', 'decision_not_allowed', message, { extensions: { refused } });
}

/** Names the first fault, and lists all. */
export function invalidDecision(errors: readonly FieldFault[]): DomainError {
  const [first] = errors;
  return new DomainError('invalid', 'invalid_request', `${first!.path}: ${first!.detail}`, { errors });
}

function addressOf({ thread_id, trace_id, step_index, attempt, digest, status, agent_id }: Approval) {
  return { thread_id, trace_id, step: step_index, attempt, digest, status, agent_id };
}
