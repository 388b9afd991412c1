import { InvalidArgumentError, type Command } from 'commander';
import { connect } from './connect.js';
import type { Terminal } from './terminal.js';
import { addThreadFilters } from './thread-filters.js';
import { threadTexts, type ThreadsOptions } from './thread-list.js';
import { threadTable, type ListedThread } from './thread-table.js';

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `waystation threads`: the threads that changed last. */
export function addThreadsCommand(program: Command, terminal: Terminal): void {
  const command = program.command('threads').description('list threads, the last changed first');
  addThreadFilters(command)
    .option('--since <time>', 'only threads changed since then: 30m, 2h, 7d, or 2026-01-31T09:30Z', parseSince)
    .option('--limit <number>', 'at most so many', parseLimit, 50)
    .option('--json', 'print JSON lines, with all details')
    .action(async (options: ThreadsOptions) => listThreads(options, terminal));
}

async function listThreads(options: ThreadsOptions, terminal: Terminal): Promise<void> {
  const threads: ListedThread[] = [];
  for await (const text of threadTexts(connect(), options)) {
    if (options.json) terminal.print(text.replaceAll(/[\r\n]+/g, ' '));
    else threads.push(JSON.parse(text) as ListedThread);
    await terminal.drained?.();
  }
  if (options.json) return;
  if (threads.length === 0) return terminal.complain('There are none.');
  terminal.print(threadTable(threads, terminal));
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
