import type { Command } from 'commander';
import { asTyped } from '../config/as-typed.js';
import { queryText, type ApiClient } from './api-client.js';
import { channelPath } from './channel-record.js';
import { CliError, UsageError } from './cli-error.js';
import { connect } from './connect.js';
import { findByPrefix } from './ids.js';
import { localTime } from './local-time.js';
import { wholeNumber } from './option-values.js';
import { printable } from './printable.js';
import { printTable, type Terminal } from './terminal.js';

interface NoticeRecord {
  id: string;
  name: string;
  url: string | null;
  chat: { chat_id: string } | null;
  events: string[];
  agent_id: string | null;
  enabled: boolean;
  disabled_reason: string | null;
  last_error: string | null;
  failing_since: string | null;
  waiting: number;
}

interface DeliveryRecord {
  id: string;
  type: string;
  status: string;
  thread_id: string | null;
  agent_id: string | null;
  attempts: number;
  last_error: string | null;
  created_at: string;
}

interface TestRecord {
  delivered: boolean;
  status: number | null;
  ms: number;
  error: string | null;
}

interface CreateOptions {
  name?: string;
  events: string[];
  agent?: string;
  channel?: string;
  chat?: string;
  topic?: string;
  includeAnswer?: boolean;
  json?: boolean;
}

interface LogOptions {
  limit: number;
  status?: string;
  json?: boolean;
}

const PATH = '/v1/notices';
const NOTICE = ['<notice>', 'its name, its id, or the beginning of its id'] as const;
const MAX_LOG = 200;

/** `waystation notices ...`: which events a running API server reports, and to whom. */
export function addNoticesCommand(program: Command, terminal: Terminal): void {
  const notices = program.command('notices').description('calls to other services when something happens');
  notices
    .command('list')
    .description('list notices, oldest first')
    .option('--json', 'print JSON lines')
    .action(async ({ json }: { json?: boolean }) => listNotices(json === true, terminal));
  notices
    .command('create')
    .description('create a notice and print its secret, this once only')
    .argument('[url]', 'where to send; https, or http on this machine')
    .option('--channel <channel>', 'in place of a URL: the name or id of a channel')
    .option('--chat <id>', 'its chat, in which somebody has written to the bot')
    .option('--topic <id>', 'a topic of that chat')
    .requiredOption('--events <event...>', 'what to tell, like approval_waiting run_failed')
    .option('--include-answer', 'with what the agent said last, for run_completed')
    .option('--name <name>', 'a name for people; default: the host of the URL')
    .option('--agent <id>', 'only what this agent and its sub-agents do')
    .option('--json', 'print JSON, with the secret in it')
    .action(async (url: string | undefined, options: CreateOptions) => createNotice(url, options, terminal));
  notices
    .command('logs')
    .description('list what was told, or waits to be told; newest last')
    .argument(...NOTICE)
    .option('--limit <number>', `at most this many, 1 to ${MAX_LOG}`, wholeNumber(1, MAX_LOG), 50)
    .option('--status <status>', 'only waiting, delivered, failed or dropped ones')
    .option('--json', 'print JSON lines')
    .action(async (notice: string, options: LogOptions) => showLog(notice, options, terminal));
  addChangeCommands(notices, terminal);
}

function addChangeCommands(notices: Command, terminal: Terminal): void {
  const add = (
    name: string,
    description: string,
    act: (client: ApiClient, path: string) => Promise<[string, object]>,
  ) =>
    notices
      .command(name)
      .description(description)
      .argument(...NOTICE)
      .option('--json', 'print JSON')
      .action(async (notice: string, { json }: { json?: boolean }) => {
        const client = connect();
        const [text, record] = await act(client, await noticePath(client, notice));
        terminal.print(json ? JSON.stringify(record) : text);
      });
  add('test', 'call the receiver now', async (client, path) => {
    const outcome = await client.send<TestRecord>('POST', `${path}/test`);
    if (!outcome.delivered) throw new CliError(printable(outcome.error ?? 'not delivered'));
    const { status, ms } = outcome;
    return [status === null ? 'queued' : `delivered  ${status}  ${ms} ms`, outcome];
  });
  add('secret', 'make a new secret; the one before signs for 24 more hours', async (client, path) => {
    const made = await client.send<{ secret: string }>('POST', `${path}/secret`);
    return [made.secret, made];
  });
  const enable = (enabled: boolean) => async (client: ApiClient, path: string) =>
    [enabled ? 'enabled' : 'disabled', await client.send<object>('PATCH', path, { enabled })] as [string, object];
  add('enable', 'tell it what happens again; what waits goes on', enable(true));
  add('disable', 'tell it nothing more', enable(false));
  add('delete', 'delete a notice with its deliveries', async (client, path) => {
    await client.send('DELETE', path);
    return ['deleted', { id: path.slice(path.lastIndexOf('/') + 1), status: 'deleted' }];
  });
  notices
    .command('retry')
    .description('send a failed or dropped delivery again')
    .argument(...NOTICE)
    .argument('<delivery>', 'its id, as `waystation notices logs` shows it')
    .option('--json', 'print JSON')
    .action(async (notice: string, delivery: string, { json }: { json?: boolean }) => {
      const client = connect();
      const path = `${await noticePath(client, notice)}/deliveries/${encodeURIComponent(delivery)}/retry`;
      const record = await client.send<DeliveryRecord>('POST', path);
      terminal.print(json ? JSON.stringify(record) : 'waiting');
    });
}

async function allNotices(client: ApiClient): Promise<NoticeRecord[]> {
  return (await client.send<{ items: NoticeRecord[] }>('GET', PATH)).items;
}

/**
 * The path of the only notice with this name, or the only one whose id has this prefix. @throws CliError when there is none, or more than
 * one
 */
async function noticePath(client: ApiClient, idOrName: string): Promise<string> {
  const items = await allNotices(client);
  const named = items.filter(({ name }) => name === idOrName);
  if (named.length === 1) return `${PATH}/${named[0]!.id}`;
  const hint = 'see waystation notices list.';
  const { id } = await findByPrefix(idOrName, { noun: 'notice', items, idOf: (notice) => notice.id, hint });
  return `${PATH}/${id}`;
}

async function createNotice(url: string | undefined, options: CreateOptions, terminal: Terminal): Promise<void> {
  const { events, agent, channel, chat, topic, includeAnswer, json } = options;
  if ((url === undefined) === (chat === undefined)) throw new UsageError('Give either a URL, or --channel and --chat.');
  const client = connect();
  const place = { channel_id: await channelId(client, channel), chat_id: chat, topic };
  const name = options.name ?? (url === undefined ? `chat ${chat}` : URL.canParse(url) ? new URL(url).host : url);
  const target = url === undefined ? { chat: place } : { url };
  const body = { name, ...target, events, agent_id: agent, include_answer: includeAnswer };
  const made = await client.send<NoticeRecord & { secret: string | null }>('POST', PATH, body);
  if (json) return terminal.print(JSON.stringify(made));
  if (made.secret === null) return terminal.print(`${made.id}  ${printable(name)}`);
  terminal.printError(`${made.id}  ${printable(name)}; verify its calls with this secret, which is shown only now:`);
  terminal.print(made.secret);
}

async function channelId(client: ApiClient, channel: string | undefined): Promise<string | undefined> {
  if (channel === undefined) return undefined;
  const path = await channelPath(client, channel);
  return path.slice(path.lastIndexOf('/') + 1);
}

async function listNotices(isJson: boolean, terminal: Terminal): Promise<void> {
  const records = await allNotices(connect());
  if (isJson) return records.forEach((record) => terminal.print(JSON.stringify(record)));
  if (records.length === 0) {
    return terminal.printError(asTyped('No notices yet. Create one: waystation notices create'));
  }
  const rows = records.map(({ id, name, url, chat, events, agent_id, waiting, ...notice }) => [
    id,
    printable(name),
    printable(url ?? `chat ${chat?.chat_id}`),
    stateOf(notice),
    String(waiting),
    printable(agent_id ?? 'all'),
    events.join(','),
  ]);
  await printTable(terminal, ['ID', 'NAME', 'TO', 'STATE', 'WAITING', 'AGENT', 'EVENTS'], rows);
}

function stateOf({
  enabled,
  disabled_reason,
  last_error,
  failing_since,
}: Pick<NoticeRecord, 'enabled' | 'disabled_reason' | 'last_error' | 'failing_since'>) {
  if (!enabled) return printable(disabled_reason === null ? 'off' : `off: ${disabled_reason}`);
  if (last_error === null) return 'on';
  return printable(
    `on, but failing${failing_since === null ? '' : ` since ${localTime(failing_since)}`}: ${last_error}`,
  );
}

async function showLog(notice: string, { json, ...query }: LogOptions, terminal: Terminal): Promise<void> {
  const client = connect();
  const path = `${await noticePath(client, notice)}/deliveries?${queryText({ ...query })}`;
  const { items } = await client.send<{ items: DeliveryRecord[] }>('GET', path);
  items.reverse();
  if (json) return items.forEach((item) => terminal.print(JSON.stringify(item)));
  const rows = items.map((item) => [
    localTime(item.created_at),
    item.id,
    item.type,
    item.last_error === null ? item.status : `${item.status}: ${printable(item.last_error)}`,
    String(item.attempts),
    printable(item.thread_id ?? item.agent_id ?? '-'),
  ]);
  const columns = ['TIME', 'DELIVERY', 'EVENT', 'STATUS', 'TRIES', 'ABOUT'];
  await printTable(terminal, columns, rows);
}
