import { DomainError, invalidField } from '../../common/domain-error.js';

export function unknownToken(id: string): DomainError {
  return new DomainError('not_found', 'token_not_found', `There is no token with the id ${id}.`);
}

export function agentsNeedRunnerScope(): DomainError {
  return invalidField('agent_ids', 'may only be given with scope runner');
}
