import { Option, type Command } from 'commander';
import { asTyped } from '../config/as-typed.js';
import { queryText, type ApiClient } from './api-client.js';
import { addChannelAccountCommands } from './channels-account.command.js';
import { addChannelCommand, CHANNEL, channelPath, type ChannelRecord, type CodeRecord } from './channel-record.js';
import { connect } from './connect.js';
import { localTime } from './local-time.js';
import { wholeNumber } from './option-values.js';
import { printable } from './printable.js';
import { printTable, type Terminal } from './terminal.js';

interface LogRecord {
  created_at: string;
  direction: string;
  kind: string;
  status: string;
  reason: string | null;
  chat_id: string | null;
  user_name: string | null;
  text: string;
}

interface LogOptions {
  limit: number;
  direction?: string;
  status?: string;
  json?: boolean;
}

const MAX_LOG = 200;

/** `waystation channels ...`: messaging platforms of a running API server. */
export function addChannelsCommand(program: Command, terminal: Terminal): void {
  const channels = program.command('channels').description('connect agents to messaging platforms');
  channels
    .command('list')
    .description('list channels, newest first')
    .option('--json', 'print JSON lines')
    .action(async ({ json }: { json?: boolean }) => listChannels(json === true, terminal));
  addChannelAccountCommands(channels, terminal);
  addAgentCommands(channels, terminal);
  addVerificationCommands(channels, terminal);
  addStateCommands(channels, terminal);
  channels
    .command('logs')
    .description('list messages in both directions, with their outcome; newest last')
    .argument(...CHANNEL)
    .option('--limit <number>', `at most this many, 1 to ${MAX_LOG}`, wholeNumber(1, MAX_LOG), 50)
    .addOption(new Option('--direction <direction>', 'only one direction').choices(['in', 'out']))
    .option('--status <status>', 'only messages with this status')
    .option('--json', 'print JSON lines')
    .action(async (channel: string, options: LogOptions) => showLog(channel, options, terminal));
}

function addAgentCommands(channels: Command, terminal: Terminal): void {
  const bind = channels.command('bind').description('bind an agent to a channel; the first agent is the default');
  bind
    .option('--default', 'make it the default')
    .option('--command <word>', 'the command for its messages, with routing mode command');
  addChannelCommand(bind, terminal, ['<agent>', 'id of the agent'], async (client, path, agent) => {
    const options = bind.opts<{ default?: boolean; command?: string }>();
    const body = { agent_name: agent, is_default: options.default ?? false, command: options.command };
    const json = await client.sendForText('POST', `${path}/agents`, body);
    return { text: `bound  ${printable(agent)}`, json };
  });
  const unbind = channels.command('unbind').description('unbind an agent from a channel');
  addChannelCommand(unbind, terminal, ['<agent>', 'id of the agent'], async (client, path, agent) => {
    await client.send('DELETE', `${path}/agents/${encodeURIComponent(agent)}`);
    return { text: `unbound  ${printable(agent)}`, json: JSON.stringify({ agent_name: agent, status: 'unbound' }) };
  });
}

function addVerificationCommands(channels: Command, terminal: Terminal): void {
  const verify = channels.command('verify').description('verify a channel with its code');
  addChannelCommand(verify, terminal, ['<code>', 'the six digits'], async (client, path, code) => {
    return { text: 'verified', json: await client.sendForText('POST', `${path}/verify`, { code }) };
  });
  const create = channels
    .command('verification-code')
    .description('create a new code; the previous one becomes invalid');
  addChannelCommand(create, terminal, null, async (client, path) => {
    const made = await client.send<CodeRecord>('POST', `${path}/verification-code`);
    const note = `until ${localTime(made.verification_expires_at)}`;
    return { text: made.verification_code, note, json: JSON.stringify(made) };
  });
}

function addStateCommands(channels: Command, terminal: Terminal): void {
  const setEnabled = (enabled: boolean) => async (client: ApiClient, path: string) => {
    const json = await client.sendForText('PATCH', path, { enabled });
    return { text: enabled ? 'enabled' : 'disabled', json };
  };
  const enable = channels.command('enable').description('accept messages again');
  addChannelCommand(enable, terminal, null, setEnabled(true));
  const disable = channels.command('disable').description('acknowledge and drop inbound messages');
  addChannelCommand(disable, terminal, null, setEnabled(false));
  const remove = channels.command('delete').description('remove a channel with its messages; its threads stay');
  addChannelCommand(remove, terminal, null, async (client, path) => {
    await client.send('DELETE', path);
    const id = path.slice(path.lastIndexOf('/') + 1);
    return { text: 'deleted', json: JSON.stringify({ id, status: 'deleted' }) };
  });
}

async function listChannels(isJson: boolean, terminal: Terminal): Promise<void> {
  const records = await connect().list<ChannelRecord>('/v1/channels');
  if (isJson) return records.forEach((record) => terminal.print(JSON.stringify(record)));
  if (records.length === 0)
    return terminal.printError(asTyped('No channels yet. Create one: waystation channels create'));
  const rows = records.map(({ id, channel_type, name, enabled, verified, agents }) => [
    id,
    channel_type,
    printable(name),
    `${enabled ? 'on' : 'off'}${verified ? '' : ', not verified'}`,
    agents.map((agent) => printable(agent.agent_name) + (agent.is_default ? '*' : '')).join(',') || '-',
  ]);
  await printTable(terminal, ['ID', 'TYPE', 'NAME', 'STATE', 'AGENTS'], rows);
}

async function showLog(channel: string, { json, ...query }: LogOptions, terminal: Terminal): Promise<void> {
  const client = connect();
  const path = `${await channelPath(client, channel)}/messages?${queryText({ ...query })}`;
  const { items } = await client.send<{ items: LogRecord[] }>('GET', path);
  items.reverse();
  if (json) return items.forEach((item) => terminal.print(JSON.stringify(item)));
  const rows = items.map((item) => [
    localTime(item.created_at),
    item.direction,
    item.kind,
    item.reason === null ? item.status : `${item.status}: ${printable(item.reason)}`,
    printable(item.user_name ?? item.chat_id ?? '-'),
    printable(item.text),
  ]);
  const columns = ['TIME', 'WAY', 'KIND', 'STATUS', 'WHO', { title: 'TEXT', max: 80, min: 20 }];
  await printTable(terminal, columns, rows);
}
