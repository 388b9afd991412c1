import type { SqlSession } from '../../../database/database.js';
import type { Channel } from '../accounts/channel.entity.js';
import type { InboundUpdate } from '../platforms/inbound-update.js';
import type { ChannelVerificationService } from '../accounts/verification/channel-verification.service.js';
import { storableId } from './inbound-row.js';

/** Compares six-digit messages with their channels' pending codes, each message once however often it is delivered. */
export class ChatCodes {
  constructor(
    private readonly session: SqlSession,
    private readonly verification: ChannelVerificationService,
    /** Keys of earlier tries, as `channel id, key`. */
    private readonly tried: Set<string>,
  ) {}

  /** Whether the message is its channel's pending code; if so, the channel becomes verified. */
  async isRight(channel: Channel, update: InboundUpdate): Promise<boolean> {
    if (!isTry(this.verification, channel, update)) return false;
    const key = tryKey(channel.id, update.key);
    if (this.tried.has(key)) return false;
    this.tried.add(key);
    const by = { chatId: storableId(update.chat.chatId), userId: storableId(update.user.id) };
    return (await this.verification.attempt(this.session, channel, update.text, by)) === 'right';
  }
}

export function tryKey(channelId: string, updateKey: string): string {
  return `${channelId} ${storableId(updateKey)}`;
}

/** A disabled channel drops everything, including codes. */
export function isTry(
  verification: ChannelVerificationService,
  channel: Channel,
  update: InboundUpdate,
): update is Extract<InboundUpdate, { kind: 'message' }> {
  return update.kind === 'message' && update.isAddressed && channel.enabled && verification.isTry(channel, update.text);
}
