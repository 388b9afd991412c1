import type { ApiClient } from './api-client.js';
import { UsageError } from './cli-error.js';
import { findByBeginning } from './ids.js';
import { onOneLine } from './json-members.js';
import type { Terminal } from './terminal.js';

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
 * The path of the channel with this id or name, or else of the only one whose id begins so.
 * @throws CliError when there is none, or more than one
 */
export async function channelPath(client: ApiClient, idOrName: string): Promise<string> {
  const channels = await client.list<ChannelRecord>('/v1/channels');
  const named = channels.filter(({ name }) => name === idOrName);
  const hasId = channels.some(({ id }) => id === idOrName);
  if (!hasId && named.length > 1) {
    const ids = named.map(({ id }) => id).join(', ');
    throw new UsageError(`More than one channel has this name; use an id: ${ids}`);
  }
  if (!hasId && named[0]) return pathOf(named[0]);
  const hint = 'see waystation channels list.';
  return pathOf(await findByBeginning(idOrName, { noun: 'channel', items: channels, idOf: ({ id }) => id, hint }));
}

/** What was done, as JSON or in a word. */
export interface Outcome {
  word: string;
  /** The answer of the API, or what stands for it. */
  json: string;
}

export function printOutcome({ word, json }: Outcome, isJson: boolean | undefined, terminal: Terminal): void {
  terminal.print(isJson ? onOneLine(json) : word);
}

function pathOf({ id }: ChannelRecord): string {
  return `/v1/channels/${id}`;
}
