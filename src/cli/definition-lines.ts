import type { Definition } from '../modules/triggers/definition/definition.js';
import { printable } from './printable.js';

/** The address of a port that a definition names; null is the default port. */
type AddressOf = (port: number | null) => string;

/** What starts the agents of a definition. */
export function triggerLines({ triggers }: Definition, addressOf: AddressOf): string[] {
  return triggers.map((trigger) => {
    const { agentName } = trigger;
    if (trigger.type === 'schedule')
      return printable(`  schedule  ${trigger.cron} (${trigger.timezone}) starts ${agentName}`);
    const auth = trigger.auth === null ? '' : ` (${trigger.auth.type})`;
    return printable(`  webhook   POST ${addressOf(trigger.port)}${trigger.endpoint} starts ${agentName}${auth}`);
  });
}

/** An example request; none if the first webhook authenticates its senders. */
export function tryLines({ webhooks: [webhook] }: Definition, addressOf: AddressOf): string[] {
  if (webhook?.auth !== null || webhook.message !== null) return [];
  const url = addressOf(webhook.port) + webhook.endpoint;
  return [`  try       curl -H 'Content-Type: application/json' -d '{"message": "Hello"}' ${url}`];
}
