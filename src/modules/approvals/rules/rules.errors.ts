import { DomainError } from '../../../common/domain-error.js';

/** Most rules active at the same time. */
export const MAX_ACTIVE_RULES = 200;

export function ruleNotFound(): DomainError {
  return new DomainError('not_found', 'rule_not_found', 'There is no such rule.');
}

export function tooManyRules(): DomainError {
  return new DomainError('conflict', 'too_many_rules', `There are ${MAX_ACTIVE_RULES} active rules; revoke one first.`);
}

/** @param result of its rehearsal */
export function ruleDisagrees(disagreements: number, result: Record<string, unknown>): DomainError {
  const message = `The rule allows ${disagreements} calls that people rejected or edited. Send disagreements: ${disagreements} to make it all the same.`;
  return new DomainError('conflict', 'rule_disagrees', message, { extensions: { disagreements, ...result } });
}

/** The unread decisions may include rejections. */
export function historyUnfinished(): DomainError {
  const message =
    'Reading what people decided took more than 5 seconds. What they rejected may be unread, so no rule was made or suggested. Try again.';
  return new DomainError('unavailable', 'history_unfinished', message, { retryAfterSeconds: 5 });
}

/** Approvers may revoke only what decides in their place: `allow`. */
export function mayNotRevoke(effect: string): DomainError {
  return new DomainError('forbidden', 'wrong_scope', `Only an admin may revoke a rule with the effect ${effect}.`);
}
