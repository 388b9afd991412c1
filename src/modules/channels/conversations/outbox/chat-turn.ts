import type { OpenChannel } from '../../accounts/channel-accounts.service.js';
import type { ChannelMessage } from '../../messages/channel-message.entity.js';
import type { ChatLane } from './chat-lanes.js';

/** The message whose turn it is in a chat that this instance has leased. */
export interface ChatTurn {
  lane: ChatLane;
  message: ChannelMessage;
  open: OpenChannel;
}
