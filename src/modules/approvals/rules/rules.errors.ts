import { DomainError } from '../../../common/domain-error.js';

/** Rules that count at the same time. */
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

/** Approvers end only what decides in their place. */
export function mayNotRevoke(effect: string): DomainError {
  return new DomainError('forbidden', 'wrong_scope', `Only an admin may revoke a rule with the effect ${effect}.`);
}
