import { Option, type Command } from 'commander';
import { addChannelAccountCommands } from './channels-account.command.js';
import { channelPath, printOutcome, type ChannelRecord, type CodeRecord } from './channel-record.js';
import { queryText } from './api-client.js';
import { connect } from './connect.js';
import { localTime } from './local-time.js';
import { printable } from './printable.js';
import { wholeNumber } from './option-values.js';
import { asTyped } from '../config/as-typed.js';
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

const CHANNEL = ['<channel>', 'its name, its id, or the beginning of its id'] as const;
const JSON_OPTION = ['--json', 'print JSON'] as const;

interface JsonOption {
  json?: boolean;
}

interface BindOptions extends JsonOption {
  default?: boolean;
  command?: string;
}
const MAX_LOG = 200;

/** `waystation channels ...`: messaging platforms of a running API server. */
export function addChannelsCommand(program: Command, terminal: Terminal): void {
  const channels = program.command('channels').description('messaging platforms through which people talk to agents');
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
  channels
    .command('bind')
    .description('bind an agent to a channel; the first agent is the default')
    .argument(...CHANNEL)
    .argument('<agent>', 'id of the agent')
    .option('--default', 'make it the default')
    .option('--command <word>', 'the command for its messages, with routing mode command')
    .option(...JSON_OPTION)
    .action(async (channel: string, agent: string, options: BindOptions) => {
      const client = connect();
      const order = { agent_name: agent, is_default: options.default ?? false, command: options.command };
      const json = await client.sendForText('POST', `${await channelPath(client, channel)}/agents`, order);
      printOutcome({ word: `bound  ${printable(agent)}`, json }, options.json, terminal);
    });
  channels
    .command('unbind')
    .description('unbind an agent from a channel')
    .argument(...CHANNEL)
    .argument('<agent>', 'id of the agent')
    .option(...JSON_OPTION)
    .action(async (channel: string, agent: string, options: JsonOption) => {
      const client = connect();
      await client.send('DELETE', `${await channelPath(client, channel)}/agents/${encodeURIComponent(agent)}`);
      const json = JSON.stringify({ agent_name: agent, status: 'unbound' });
      printOutcome({ word: `unbound  ${printable(agent)}`, json }, options.json, terminal);
    });
}

function addVerificationCommands(channels: Command, terminal: Terminal): void {
  channels
    .command('verify')
    .description('verify a channel with its code')
    .argument(...CHANNEL)
    .argument('<code>', 'the six digits')
    .option(...JSON_OPTION)
    .action(async (channel: string, code: string, options: JsonOption) => {
      const client = connect();
      const json = await client.sendForText('POST', `${await channelPath(client, channel)}/verify`, { code });
      printOutcome({ word: 'verified', json }, options.json, terminal);
    });
  channels
    .command('verification-code')
    .description('create a new code; the previous one becomes invalid')
    .argument(...CHANNEL)
    .option(...JSON_OPTION)
    .action(async (channel: string, { json }: JsonOption) => {
      const client = connect();
      const path = `${await channelPath(client, channel)}/verification-code`;
      const made = await client.send<CodeRecord>('POST', path);
      if (json) return terminal.print(JSON.stringify(made));
      const { verification_code, verification_expires_at } = made;
      terminal.complain(`until ${localTime(verification_expires_at)}`);
      terminal.print(verification_code);
    });
}

function addStateCommands(channels: Command, terminal: Terminal): void {
  for (const [verb, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const) {
    channels
      .command(verb)
      .description(enabled ? 'accept messages again' : 'acknowledge and drop inbound messages')
      .argument(...CHANNEL)
      .option(...JSON_OPTION)
      .action(async (channel: string, options: JsonOption) => {
        const client = connect();
        const json = await client.sendForText('PATCH', await channelPath(client, channel), { enabled });
        printOutcome({ word: `${verb}d`, json }, options.json, terminal);
      });
  }
  channels
    .command('delete')
    .description('remove a channel with its messages; its threads stay')
    .argument(...CHANNEL)
    .option(...JSON_OPTION)
    .action(async (channel: string, options: JsonOption) => {
      const client = connect();
      const path = await channelPath(client, channel);
      await client.send('DELETE', path);
      const json = JSON.stringify({ id: path.slice(path.lastIndexOf('/') + 1), status: 'deleted' });
      printOutcome({ word: 'deleted', json }, options.json, terminal);
    });
}

async function listChannels(isJson: boolean, terminal: Terminal): Promise<void> {
  const records = await connect().list<ChannelRecord>('/v1/channels');
  if (isJson) {
    for (const record of records) terminal.print(JSON.stringify(record));
    return;
  }
  if (records.length === 0)
    return terminal.complain(asTyped('There are no channels. `waystation channels create` makes one.'));
  const rows = records.map(({ id, channel_type, name, enabled, verified, agents }) => [
    id,
    channel_type,
    printable(name),
    `${enabled ? 'on' : 'off'}${verified ? '' : ', not verified'}`,
    agents.map((agent) => printable(agent.agent_name) + (agent.is_default ? '*' : '')).join(',') || '-',
  ]);
  await printTable(terminal, ['ID', 'TYPE', 'NAME', 'STATE', 'AGENTS'], rows);
}

async function showLog(channel: string, { limit, direction, status, json }: LogOptions, terminal: Terminal) {
  const client = connect();
  const path = `${await channelPath(client, channel)}/messages?${queryText({ limit, direction, status })}`;
  const { items } = await client.send<{ items: LogRecord[] }>('GET', path);
  if (json) return items.reverse().forEach((item) => terminal.print(JSON.stringify(item)));
  const rows = items
    .reverse()
    .map((item) => [
      localTime(item.created_at),
      item.direction,
      item.kind,
      item.reason === null ? item.status : `${item.status}: ${printable(item.reason)}`,
      printable(item.user_name ?? item.chat_id ?? '-'),
      printable(item.text),
    ]);
  await printTable(terminal, ['TIME', 'WAY', 'KIND', 'STATUS', 'WHO', { title: 'TEXT', max: 80, min: 20 }], rows);
}
