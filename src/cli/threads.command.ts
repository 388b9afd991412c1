import type { Command } from 'commander';
import { asTyped } from '../config/as-typed.js';
import { dollars } from './amounts.js';
import { connect } from './connect.js';
import { singleLine } from './json-members.js';
import { ageOf } from './local-time.js';
import { pastTime, wholeNumber } from './option-values.js';
import { printable } from './printable.js';
import { paintStatus } from './style.js';
import { printTable, type Terminal } from './terminal.js';
import { addThreadFilters, filterQuery, type ThreadFilters } from './thread-filters.js';

interface ListOptions extends ThreadFilters {
  since?: string;
  limit: number;
  json?: boolean;
}

/** The members of a list item that a row shows. */
interface ListedThread {
  thread_id: string;
  status: string;
  agent_id: string;
  step_index: number;
  total_cost_usd: number;
  updated_at: string;
}

const COLUMNS = [
  // Other commands accept prefixes of ids.
  { title: 'THREAD', min: 8 },
  { title: 'STATUS', paint: paintStatus },
  { title: 'AGENT', max: 20 },
  ...['STEP', 'COST', 'CHANGED'],
];

/** `waystation threads`: the most recently changed threads. */
export function addThreadsCommand(program: Command, terminal: Terminal): void {
  const command = program.command('threads').description('list threads, the last changed first');
  addThreadFilters(command)
    .option('--since <time>', 'only threads changed since then: 2h, 7d, today, yesterday, 2026-11-20', pastTime)
    .option('--limit <number>', 'at most this many', wholeNumber(1), 50)
    .option('--json', 'print JSON lines, with all details')
    .action(async (options: ListOptions) => listThreads(options, terminal));
}

async function listThreads(options: ListOptions, terminal: Terminal): Promise<void> {
  const rows: string[][] = [];
  const query = { ...filterQuery(options), since: options.since };
  for await (const text of connect().items('/threads', query, options.limit)) {
    if (options.json) terminal.print(singleLine(text));
    else rows.push(rowOf(JSON.parse(text) as ListedThread));
    await terminal.drained?.();
  }
  if (options.json) return;
  if (rows.length === 0) return terminal.printError(asTyped(emptyHint(options)));
  await printTable(terminal, COLUMNS, rows);
}

function emptyHint({ status, agent, model, search, since }: ListOptions): string {
  const isFiltered = [status, agent, model, search, since].some((filter) => filter !== undefined);
  if (isFiltered) return 'No threads match. Without filters: waystation threads';
  return 'No threads yet. Try `waystation demo --seed`.';
}

function rowOf({ thread_id, status, agent_id, step_index, total_cost_usd, updated_at }: ListedThread): string[] {
  const age = `${ageOf(updated_at, Date.now())} ago`;
  const [id, state, agent] = [thread_id, status, agent_id].map(printable);
  return [id!, state!, agent!, String(step_index), dollars(total_cost_usd), age];
}
