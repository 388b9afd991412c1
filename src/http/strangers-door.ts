import type { IncomingMessage } from 'node:http';
import { DomainError } from '../common/domain-error.js';
import { isForStrangers } from './host-check.js';

/** For a listener that the world may reach: it has the receiver of the messaging platforms, and nothing else is there. */
export class StrangersDoor {
  /** @throws DomainError `not_found` */
  check({ url = '' }: IncomingMessage): void {
    if (!isForStrangers(url))
      throw new DomainError('not_found', 'route_not_found', 'There is nothing under this path.');
  }
}
