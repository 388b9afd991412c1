import type { IncomingMessage } from 'node:http';
import { isForReceiver } from './host-check.js';
import { routeNotFound } from './unmatched-route.js';

/** For a public listener: it serves only the receiver of the messaging platforms. */
export class WebhookOnlyCheck {
  /** @throws DomainError `not_found` */
  check(request: IncomingMessage): void {
    if (!isForReceiver(request)) throw routeNotFound();
  }
}
