import type { IncomingMessage } from 'node:http';
import { isPublicWebhook } from './host-check.js';
import { routeNotFound } from './unmatched-route.js';

/** For a listener that the world may reach: it has the receiver of the messaging platforms, and nothing else is there. */
export class WebhookOnlyCheck {
  /** @throws DomainError `not_found` */
  check({ url = '' }: IncomingMessage): void {
    if (!isPublicWebhook(url)) throw routeNotFound();
  }
}
