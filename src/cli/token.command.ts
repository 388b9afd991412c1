import { InvalidArgumentError, Option, type Command } from 'commander';
import { connect } from './connect.js';
import { findByPrefix } from './ids.js';
import { localTime } from './local-time.js';
import { durationSeconds } from './option-values.js';
import { printable } from './printable.js';
import { asTyped } from '../config/as-typed.js';
import { printTable, type Terminal } from './terminal.js';

interface TokenRecord {
  id: string;
  scope: string;
  name: string | null;
  agent_ids: string[] | null;
  created_at: string;
  expires_at: string | null;
  parent_id: string | null;
  created_by: string | null;
  run: { thread_id: string; trace_id: string } | null;
  last_used_at: string | null;
}

interface CreateOptions {
  scope: string;
  name?: string;
  agents?: string[];
  expiresIn?: number;
  json?: boolean;
}

interface RevokeOptions {
  withChildren?: boolean;
  json?: boolean;
}

/** Columns shown only if they have content. */
const [MADE_BY, RUN] = ['MADE BY', 'RUN'];

/** `waystation token create | list | revoke`, through a running API server. */
export function addTokenCommand(program: Command, terminal: Terminal): void {
  const token = program.command('token').description('create, list and revoke tokens of a running API server');
  token
    .command('create')
    .description('create a token; it is shown only once')
    .addOption(
      new Option('--scope <scope>', 'what the token may do')
        .choices(['runner', 'approver', 'reader', 'metrics', 'admin'])
        .makeOptionMandatory(),
    )
    .option('--name <name>', 'a name that helps you distinguish tokens')
    .option(
      '--agent, --agents <id...>',
      'the only agents for which its holder may report and read (scopes runner and reader)',
    )
    .option('--expires-in <time>', 'like 90s, 15m, 24h or 30d; default: until revoked', parseSeconds)
    .option('--json', 'print JSON, with the token in it')
    .action(async (options: CreateOptions) => createToken(options, terminal));
  token
    .command('list')
    .description('list tokens, newest first')
    .option('--json', 'print JSON lines')
    .action(async ({ json }: { json?: boolean }) => listTokens(json === true, terminal));
  token
    .command('revoke')
    .description('revoke a token at once')
    .argument('<id>', 'its id, as `waystation token list` shows it, or the beginning of it')
    .option('--with-children', 'also revoke all tokens made with it, directly or not')
    .option('--json', 'print JSON')
    .action(async (id: string, options: RevokeOptions) => revokeToken(id, options, terminal));
}

async function revokeToken(prefix: string, { withChildren, json }: RevokeOptions, terminal: Terminal): Promise<void> {
  const client = connect();
  const items = await client.list<TokenRecord>('/v1/tokens');
  const hint = 'see waystation token list.';
  const { id } = await findByPrefix(prefix, { noun: 'token', items, idOf: (token) => token.id, hint });
  const made = descendantsOf(id, items);
  const areMeant = withChildren ?? (json ? false : await confirmChildren(made, terminal));
  await client.send('DELETE', `/v1/tokens/${encodeURIComponent(id)}${areMeant ? '?with_children=true' : ''}`);
  const revoked = areMeant ? made.map((one) => one.id) : [];
  if (json) return terminal.print(JSON.stringify({ id, status: 'revoked', ...(areMeant && { children: revoked }) }));
  for (const one of [id, ...revoked]) terminal.print(`revoked  ${one}`);
  if (made.length === 0 || areMeant) return;
  terminal.printError('Tokens made with it stay valid:');
  for (const one of made) terminal.printError(`  ${describe(one)}`);
}

/** Without a person at the keyboard, revokes only the named token. */
async function confirmChildren(made: readonly TokenRecord[], { keyboard, printError }: Terminal): Promise<boolean> {
  if (made.length === 0 || !keyboard) return false;
  printError('Tokens made with it would stay valid:');
  for (const one of made) printError(`  ${describe(one)}`);
  return keyboard.confirm({ question: 'Revoke these, too?', isDefault: false });
}

/** The tokens made by this one or its descendants, except those that end with it anyway. */
function descendantsOf(id: string, tokens: readonly TokenRecord[]): TokenRecord[] {
  const made = new Set([id]);
  // The list is newest first, and a token is older than those it makes.
  for (const token of [...tokens].reverse()) if (made.has(token.created_by ?? '')) made.add(token.id);
  return tokens.filter((token) => token.id !== id && made.has(token.id) && token.parent_id === null);
}

function describe({ id, scope, name }: TokenRecord): string {
  return `${id}  ${scope}  ${printable(name ?? '-')}`;
}

/** Only the token goes to standard output, so that a shell can capture it. */
async function createToken({ scope, name, agents, expiresIn, json }: CreateOptions, terminal: Terminal): Promise<void> {
  const body = { scope, name, agent_ids: agents, expires_in_seconds: expiresIn };
  const made = await connect().send<TokenRecord & { token: string }>('POST', '/v1/tokens', body);
  if (json) return terminal.print(JSON.stringify(made));
  terminal.printError(
    `${made.id}  ${made.scope}  ${made.expires_at === null ? 'no expiry' : `until ${localTime(made.expires_at)}`}`,
  );
  terminal.print(made.token);
}

async function listTokens(isJson: boolean, terminal: Terminal): Promise<void> {
  const records = await connect().list<TokenRecord>('/v1/tokens');
  if (isJson) return records.forEach((record) => terminal.print(JSON.stringify(record)));
  if (records.length === 0)
    return terminal.printError(asTyped('No tokens yet. Create one: waystation token create --scope runner'));
  const rows = underParents(records).map((record) => [
    record.parent_id === null ? record.id : `  ${record.id}`,
    record.scope,
    printable(record.name ?? '-'),
    printable(record.agent_ids?.join(',') ?? '-'),
    localTime(record.created_at),
    record.expires_at === null ? '-' : localTime(record.expires_at),
    record.last_used_at === null ? 'never' : localTime(record.last_used_at),
    record.created_by ?? '-',
    printable(record.run?.trace_id ?? '-'),
  ]);
  const heading = ['ID', 'SCOPE', 'NAME', 'AGENTS', 'CREATED', 'EXPIRES', 'LAST USED', MADE_BY, RUN];
  const isShown = (name: string) =>
    (name !== MADE_BY || records.some(({ created_by, parent_id }) => created_by !== parent_id)) &&
    (name !== RUN || records.some(({ run }) => run !== null));
  const shown = (row: readonly string[]) => row.filter((_, at) => isShown(heading[at]!));
  await printTable(terminal, shown(heading), rows.map(shown));
}

/** Puts children below their parents, because revoking a token revokes them, too. */
function underParents(records: readonly TokenRecord[]): TokenRecord[] {
  const known = new Set(records.map(({ id }) => id));
  const tops = records.filter(({ parent_id }) => parent_id === null || !known.has(parent_id));
  return tops.flatMap((top) => [top, ...records.filter(({ parent_id }) => parent_id === top.id)]);
}

function parseSeconds(text: string): number {
  const seconds = durationSeconds(text);
  if (seconds !== null) return seconds;
  throw new InvalidArgumentError('It must be a number with a unit: 90s, 15m, 24h or 30d.');
}
