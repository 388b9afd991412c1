import type { ChannelMessage } from '../../messages/channel-message.entity.js';
import type { OpenChannel } from '../../accounts/channel-accounts.service.js';

/** The people named in the config; if none are named, the person who verified the channel in the chat; otherwise nobody. */
export function approversOf({ channel, account }: OpenChannel): readonly string[] {
  const { approvers } = account.config;
  if (Array.isArray(approvers)) return approvers;
  return channel.verified_by === null ? [] : [channel.verified_by];
}

export function isApprover(open: OpenChannel, userId: string | null): boolean {
  return userId !== null && approversOf(open).includes(userId);
}

/** Who has decided, for the record. */
export function deciderIn(
  { channel }: OpenChannel,
  { user_id, user_name }: Pick<ChannelMessage, 'user_id' | 'user_name'>,
): string {
  const id = `${channel.channel_type}:${user_id}`;
  return user_name === null ? id : `${id} (${user_name})`;
}
