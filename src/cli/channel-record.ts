import type { Command } from 'commander';
import type { ApiClient } from './api-client.js';
import { UsageError } from './cli-error.js';
import { connect } from './connect.js';
import { findByPrefix } from './ids.js';
import { singleLine } from './json-members.js';
import type { Terminal } from './terminal.js';

export const CHANNEL = ['<channel>', 'its name, its id, or the beginning of its id'] as const;

/** A channel as the API returns it. */
export interface ChannelRecord {
  id: string;
  channel_type: string;
  name: string;
  enabled: boolean;
  verified: boolean;
  agents: { agent_name: string; is_default: boolean }[];
}

export interface CodeRecord {
  verification_code: string;
  verification_expires_at: string;
}

/** What a command prints. */
export interface Result {
  text: string;
  /** The response of the API, or an equivalent. */
  json: string;
  /** For standard error, above the text. */
  note?: string;
}

type Run = (client: ApiClient, path: string, argument: string) => Promise<Result>;

/** Completes the definition of a command for one channel. `run` gets the channel's path, and the second argument if there is one. */
export function addChannelCommand(
  command: Command,
  terminal: Terminal,
  argument: readonly [flags: string, description: string] | null,
  run: Run,
): void {
  command.argument(...CHANNEL).option('--json', 'print JSON');
  if (argument) command.argument(...argument);
  command.action(async (channel: string, value: unknown) => {
    const client = connect();
    const { text, json, note } = await run(client, await channelPath(client, channel), String(value));
    if (command.opts().json) return terminal.print(singleLine(json));
    if (note !== undefined) terminal.printError(note);
    terminal.print(text);
  });
}

/**
 * The path of the channel with this id or name, or the only one whose id has this prefix.
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
  if (!hasId && named[0]) return `/v1/channels/${named[0].id}`;
  const hint = 'see waystation channels list.';
  const found = await findByPrefix(idOrName, { noun: 'channel', items: channels, idOf: ({ id }) => id, hint });
  return `/v1/channels/${found.id}`;
}
