import { DomainError } from '../../common/domain-error.js';

/** Also for a thread that was deleted while it was being read. */
export function threadNotFound(): DomainError {
  return new DomainError('not_found', 'thread_not_found', 'There is no such thread.');
}
