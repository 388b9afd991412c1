import type { SqlSession } from '../../../database/database.js';
import { UNPROVEN_MESSAGE } from '../messages/channel-message.entity.js';
import type { InboundUpdate } from '../platforms/inbound-update.js';

/** Updates of one channel that arrived together. */
export interface InboxDelivery {
  channelId: string;
  updates: readonly InboundUpdate[];
  /** Why all of it is only shown in the message log; null for updates to handle. */
  dropReason: DropReason | null;
  /** What to store in the same transaction; may run more than once. */
  inSameTransaction?: (session: SqlSession) => Promise<void>;
}

/** Why an update starts nothing, in the message log's words. */
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
