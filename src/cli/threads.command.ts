import { InvalidArgumentError, type Command } from 'commander';
import { dollars } from './amounts.js';
import type { ApiClient } from './api-client.js';
import { ageOf } from './approvals.command.js';
import { connect } from './connect.js';
import { jsonMembers } from './json-members.js';
import { printable } from './printable.js';
import { paintStatus, styleOf } from './style.js';
import { fittingTable, table, type Terminal } from './terminal.js';
import { cut, textWidth } from './text-width.js';

interface ThreadsOptions {
  status?: string[];
  agent?: string;
  model?: string;
  search?: string;
  since?: string;
  limit: number;
  json?: boolean;
}

/** The members of an item of the list that a row shows. */
interface ListedThread {
  thread_id: string;
  status: string;
  agent_id: string;
  step_index: number;
  total_cost_usd: number;
  updated_at: string;
}

const HEADING = ['THREAD', 'STATUS', 'AGENT', 'STEP', 'COST', 'CHANGED'];
const STATUS_COLUMN = 1;
const AGENT_WIDTH = 20;
const MIN_ID_WIDTH = 8;
const PAGE = 200;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `waystation threads`: the threads that changed last. */
export function addThreadsCommand(program: Command, terminal: Terminal): void {
  program
    .command('threads')
    .description('list threads, the last changed first')
    .option('--status <status...>', 'only threads with one of these statuses, like --status error waiting_for_approval')
    .option('--agent <id>', 'only threads in which this agent took part')
    .option('--model <name>', 'only threads whose latest checkpoint names this model')
    .option('--search <text>', 'only threads with this text in their id, model or agents')
    .option('--since <time>', 'only threads changed since then: 30m, 2h, 7d, or 2026-01-31T09:30Z', parseSince)
    .option('--limit <number>', 'at most so many', parseLimit, 50)
    .option('--json', 'print JSON lines, with all details')
    .action(async (options: ThreadsOptions) => listThreads(options, terminal));
}

async function listThreads(options: ThreadsOptions, terminal: Terminal): Promise<void> {
  const rows: string[][] = [];
  for await (const text of threadTexts(connect(), queryOf(options), options.limit)) {
    if (options.json) terminal.print(text.replaceAll(/[\r\n]+/g, ' '));
    else rows.push(rowOf(JSON.parse(text) as ListedThread, Date.now()));
    await terminal.drained?.();
  }
  if (options.json) return;
  if (rows.length === 0) return terminal.complain('There are none.');
  const style = styleOf(terminal);
  const paint = (cell: string, column: number) =>
    column === STATUS_COLUMN ? cell.replace(/\S+/, (status) => paintStatus(status, style)) : cell;
  const cells = fitted(rows, terminal.width);
  const isTooWide = table(HEADING, cells)
    .split('\n')
    .some((line) => textWidth(line) > (terminal.width ?? Infinity));
  if (isTooWide) return terminal.print(fittingTable(HEADING, rows, terminal));
  terminal.print(table(HEADING, cells, { isColoured: terminal.isColoured, paint }));
}

/** The items of the list as exact JSON, page by page. */
async function* threadTexts(client: ApiClient, query: URLSearchParams, limit: number): AsyncGenerator<string> {
  for (let left = limit; left > 0;) {
    query.set('limit', String(Math.min(left, PAGE)));
    let cursor: string | null = null;
    for await (const { name, text } of jsonMembers(client.stream(`/threads?${query}`), ['items'])) {
      if (name === 'next_cursor') cursor = JSON.parse(text) as string | null;
      if (name !== 'items') continue;
      left -= 1;
      yield text;
    }
    if (cursor === null) return;
    query.set('cursor', cursor);
  }
}

function queryOf({ status, agent, model, search, since }: ThreadsOptions): URLSearchParams {
  const query = new URLSearchParams((status ?? []).map((one): [string, string] => ['status', one]));
  const others = { agent_id: agent, model, q: search, since };
  for (const [name, value] of Object.entries(others)) if (value !== undefined) query.set(name, value);
  return query;
}

function rowOf(thread: ListedThread, nowMs: number): string[] {
  const { thread_id, status, agent_id, step_index, total_cost_usd, updated_at } = thread;
  const agent = cut(printable(agent_id), AGENT_WIDTH);
  const age = `${ageOf(updated_at, nowMs)} ago`;
  return [printable(thread_id), printable(status), agent, String(step_index), dollars(total_cost_usd), age];
}

/** Cuts only ids to the width of the screen: their beginnings are enough for other commands. */
function fitted(rows: readonly string[][], width: number | undefined): string[][] {
  if (width === undefined) return [...rows];
  const others = HEADING.slice(1).map((head, column) =>
    Math.max(...[head, ...rows.map((row) => row[column + 1]!)].map(textWidth)),
  );
  const left = width - others.reduce((sum, one) => sum + one + 2, 0);
  return rows.map(([id, ...rest]) => [cut(id!, Math.max(left, MIN_ID_WIDTH)), ...rest]);
}

/** A length of time before now, or a point in time, which the server reads. */
function parseSince(text: string): string {
  const [, number, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (number === undefined) return text;
  return new Date(Date.now() - Number(number) * UNIT_MS[unit!]!).toISOString();
}

function parseLimit(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('The limit is a number from 1.');
}
