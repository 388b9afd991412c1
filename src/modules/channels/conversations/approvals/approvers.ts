import type { OpenChannel } from '../../accounts/channel-accounts.service.js';

/** The people whom the config names; where it names none, the person who verified the channel in the chat; otherwise nobody. */
export function approversOf({ channel, account }: OpenChannel): readonly string[] {
  const { approvers } = account.config;
  if (Array.isArray(approvers)) return approvers;
  return channel.verified_by === null ? [] : [channel.verified_by];
}
