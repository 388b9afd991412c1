import { DomainError, invalidField } from '../../common/domain-error.js';

const ADMIN_MAY = 'one of scope admin may.';

export function unknownToken(id: string): DomainError {
  return new DomainError('not_found', 'token_not_found', `There is no token with the id ${id}.`);
}

export function nameReserved(): DomainError {
  return invalidField('name', 'is reserved: records use it for decisions made without a token');
}

export function agentsNeedScope(): DomainError {
  return invalidField('agent_ids', 'may only be given with scope runner or reader');
}

export function runNeedsRunnerScope(): DomainError {
  return invalidField('run', 'may only be given with scope runner');
}

export function notNarrower(scope: string): DomainError {
  return new DomainError(
    'forbidden',
    'wrong_scope',
    `A token of scope runner may not create one of scope ${scope}; ${ADMIN_MAY}`,
  );
}

export function createdByToken(): DomainError {
  const message = `A token created by a token of scope runner cannot create tokens; that token can, and ${ADMIN_MAY}`;
  return new DomainError('forbidden', 'wrong_scope', message);
}

export function agentNotAllowed(agentId: string): DomainError {
  const message = `The token may not speak for the agent ${agentId}, so it may not create a token that does; ${ADMIN_MAY}`;
  return new DomainError('forbidden', 'agent_not_allowed', message);
}
