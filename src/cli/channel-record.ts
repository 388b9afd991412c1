import type { ApiClient } from './api-client.js';
import { CliError } from './cli-error.js';
import { printable } from './printable.js';

/** A channel as the API returns it. */
export interface ChannelRecord {
  id: string;
  channel_type: string;
  name: string;
  enabled: boolean;
  verified: boolean;
  webhook_url: string | null;
  agents: { agent_name: string; is_default: boolean; command: string | null }[];
}

export interface CodeRecord {
  verification_code: string;
  verification_expires_at: string;
}

/**
 * The path of the channel with this id, or else the only one of this name.
 * @throws CliError when there is none, or more than one
 */
export async function channelPath(client: ApiClient, idOrName: string): Promise<string> {
  const channels = await client.list<ChannelRecord>('/v1/channels');
  const byId = channels.filter(({ id }) => id === idOrName);
  const found = byId.length > 0 ? byId : channels.filter(({ name }) => name === idOrName);
  if (found.length > 1) {
    throw new CliError(`More than one channel has this name; use an id: ${found.map(({ id }) => id).join(', ')}`);
  }
  if (!found[0]) throw new CliError(`There is no channel ${printable(idOrName)}; see waystation channels list.`);
  return `/v1/channels/${found[0].id}`;
}
