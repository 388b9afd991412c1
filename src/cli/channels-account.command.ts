import { asTyped } from '../config/as-typed.js';
import { Option, type Command } from 'commander';
import { CHANNEL_TYPES, PLATFORMS, type ChannelType } from '../modules/channels/platforms/platforms.js';
import { readConfigInput, type ConfigOptions } from './channel-config-input.js';
import { addChannelCommand, type ChannelRecord, type CodeRecord } from './channel-record.js';
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
  const config = withConfigOptions(channels.command('config'));
  config.description('replace the config of a channel, for example its secrets');
  addChannelCommand(config, terminal, null, async (client, path) => {
    const { channel_type } = await client.send<ChannelRecord>('GET', path);
    const { fields } = PLATFORMS[channel_type as ChannelType];
    const value = await readConfigInput(fields, config.opts<ConfigOptions>(), terminal);
    return { text: 'replaced', json: await client.sendForText('PUT', `${path}/config`, { config: value }) };
  });
  const setup = channels.command('setup-webhook');
  setup.description('register this server with the platform, or print what to paste into its console');
  const url = ['<url>', 'public address of this server, like https://bots.example.com'] as const;
  addChannelCommand(setup, terminal, url, async (client, path, base_url) => {
    const made = await client.send<SetupRecord>('POST', `${path}/setup-webhook`, { base_url });
    const { status, webhook_url, instructions } = made;
    const note = instructions.length === 0 ? undefined : instructions.map(printableLines).join('\n');
    return { text: printable(`${status}  ${webhook_url}`), note, json: JSON.stringify(made) };
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
  const body = { channel_type: type, name, config, session_mode: sessionMode, routing_mode: routingMode };
  const made = await connect().send<ChannelRecord & CodeRecord>('POST', '/v1/channels', body);
  if (options.json) return terminal.print(JSON.stringify(made));
  terminal.printError(`${made.id}  ${made.channel_type}  ${printable(made.name)}`);
  terminal.printError(asTyped(`Send this code to the bot in a chat, or: waystation channels verify ${made.id} CODE`));
  terminal.print(made.verification_code);
}

async function askName({ keyboard }: Terminal): Promise<string> {
  if (keyboard === undefined) throw new CliError('The channel needs a --name.');
  return keyboard.ask({ question: 'Name of the channel, for people' });
}
