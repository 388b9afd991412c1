import { DomainError, type FieldFault } from '../../common/domain-error.js';
import { Members, settlingIn, type EffectSettling } from './effect-body.js';
import type { EffectAddress } from './effect-identity.js';

/** A settlement that came as an event, or what is wrong with it. */
export type SettledEvent = { address: EffectAddress; settling: EffectSettling } | { faults: readonly FieldFault[] };

/** Ignores unknown members of the event's data. */
export function readSettledEvent(data: Buffer): SettledEvent {
  try {
    const members = new Members(data, null);
    const address = {
      threadId: members.id('thread_id') ?? members.missing('thread_id'),
      key: members.id('key') ?? members.missing('key'),
      agentId: members.id('agent_id'),
    };
    const settling = settlingIn(members);
    members.assertFine();
    return { address, settling };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { faults: error.errors };
  }
}
