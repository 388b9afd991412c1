import type { SqlSession } from '../../../database/database.js';
import { UNPROVEN_MESSAGE } from '../messages/channel-message.entity.js';
import type { InboundUpdate } from '../platforms/inbound-update.js';

/** Updates of one channel that came together. */
export interface InboxDelivery {
  channelId: string;
  updates: readonly InboundUpdate[];
  /** Why all of it is only shown in the message log; null for what is to be handled. */
  dropReason: DropReason | null;
  /** What has to be stored with it in the same transaction; may run more than once. */
  inSameTransaction?: (session: SqlSession) => Promise<void>;
}

/** Why something starts nothing, in the words of the message log. */
export const DROP_REASONS = {
  unproven: UNPROVEN_MESSAGE,
  ambiguous: 'several channels could be meant: run setup-webhook for each, so that their workspaces are known',
  disabled: 'the channel is disabled',
  unverified: 'the channel is not verified',
  unaddressed: 'not addressed to the bot',
  noText: 'no text',
  noAgent: 'no agent is bound',
} as const;

export type DropReason = (typeof DROP_REASONS)[keyof typeof DROP_REASONS];
