import type { ChannelConfigValues } from './channel-vault.js';
import type { ChannelAgent } from './channel-agent.entity.js';
import type { Channel } from './channel.entity.js';
import type { PendingCode } from './verification/channel-verification.service.js';

/** A channel as people see it. */
export interface ChannelView {
  channel: Channel;
  /** Without secrets; null where it was sealed under another machine secret. */
  shown: ChannelConfigValues | null;
  /** The secrets that are set. */
  secretFields: readonly string[];
  agents: readonly ChannelAgent[];
}

export interface CreatedChannel {
  view: ChannelView;
  pending: PendingCode;
}
