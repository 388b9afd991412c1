import { asTyped } from '../config/as-typed.js';
import { Option, type Command } from 'commander';
import { CHANNEL_TYPES, PLATFORMS, type ChannelType } from '../modules/channels/platforms/platforms.js';
import { readConfigInput, type ConfigOptions } from './channel-config-input.js';
import { channelPath, printOutcome, type ChannelRecord, type CodeRecord } from './channel-record.js';
import { CliError } from './cli-error.js';
import { connect } from './connect.js';
import { printable, printableLines } from './printable.js';
import type { Terminal } from './terminal.js';

interface CreateOptions extends ConfigOptions {
  type: ChannelType;
  name?: string;
  sessionMode?: string;
  routingMode?: string;
  json?: boolean;
}

interface SetupRecord {
  status: string;
  webhook_url: string;
  instructions: string[];
}

/** The commands that need the account of a platform. */
export function addChannelAccountCommands(channels: Command, terminal: Terminal): void {
  withConfigOptions(channels.command('create'))
    .description('create a channel; prompts for missing values, and does not echo secrets')
    .addOption(new Option('--type <type>', 'the platform').choices(CHANNEL_TYPES).makeOptionMandatory())
    .option('--name <name>', 'a name for people')
    .addOption(
      new Option('--session-mode <mode>', 'what becomes one thread').choices(['per_chat', 'per_user', 'per_message']),
    )
    .addOption(new Option('--routing-mode <mode>', 'which agent gets which messages').choices(['single', 'command']))
    .option('--json', 'print JSON, with the code in it')
    .action(async (options: CreateOptions) => createChannel(options, terminal));
  withConfigOptions(channels.command('config'))
    .description('replace the config of a channel, for example its secrets')
    .argument('<channel>', 'its name, its id, or the beginning of its id')
    .option('--json', 'print JSON')
    .action(async (channel: string, options: ConfigOptions & { json?: boolean }) => {
      const client = connect();
      const path = await channelPath(client, channel);
      const { channel_type } = await client.send<ChannelRecord>('GET', path);
      const { fields } = PLATFORMS[channel_type as ChannelType];
      const config = await readConfigInput(fields, options, terminal);
      const json = await client.sendForText('PUT', `${path}/config`, { config });
      printOutcome({ word: 'replaced', json }, options.json, terminal);
    });
  channels
    .command('setup-webhook')
    .description('register this server with the platform, or print what to paste into its console')
    .argument('<channel>', 'its name, its id, or the beginning of its id')
    .argument('<url>', 'public address of this server, like https://bots.example.com')
    .option('--json', 'print JSON')
    .action(async (channel: string, url: string, options: { json?: boolean }) => {
      await setUpWebhook(channel, url, options.json === true, terminal);
    });
}

function withConfigOptions(command: Command): Command {
  return command
    .option('--field <name=value...>', 'a field of the config that is not secret')
    .option('--field-file <name=file...>', 'a field of the config, read from a file, for secrets; - is standard input')
    .option('--config-file <file>', 'JSON of the whole config; - is standard input');
}

/** Only the code goes to standard output, so that a shell can capture it. */
async function createChannel(options: CreateOptions, terminal: Terminal): Promise<void> {
  const { type, sessionMode, routingMode } = options;
  const name = options.name ?? (await askName(terminal));
  const config = await readConfigInput(PLATFORMS[type].fields, options, terminal);
  const order = { channel_type: type, name, config, session_mode: sessionMode, routing_mode: routingMode };
  const made = await connect().send<ChannelRecord & CodeRecord>('POST', '/v1/channels', order);
  if (options.json) return terminal.print(JSON.stringify(made));
  terminal.complain(`${made.id}  ${made.channel_type}  ${printable(made.name)}`);
  terminal.complain(asTyped(`Send this code to the bot in a chat, or: waystation channels verify ${made.id} CODE`));
  terminal.print(made.verification_code);
}

async function setUpWebhook(channel: string, url: string, isJson: boolean, terminal: Terminal): Promise<void> {
  const client = connect();
  const path = `${await channelPath(client, channel)}/setup-webhook`;
  const answer = await client.send<SetupRecord>('POST', path, { base_url: url });
  if (isJson) return terminal.print(JSON.stringify(answer));
  const { status, webhook_url, instructions } = answer;
  for (const line of instructions) terminal.complain(printableLines(line));
  terminal.print(printable(`${status}  ${webhook_url}`));
}

async function askName({ keyboard }: Terminal): Promise<string> {
  if (keyboard === undefined) throw new CliError('The channel needs a --name.');
  return keyboard.ask({ question: 'Name of the channel, for people' });
}
