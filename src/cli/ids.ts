import type { ApiClient } from './api-client.js';
import { CliError, RefusalError } from './cli-error.js';
import { printable } from './printable.js';

const MISUSED = 2;
const NOT_FOUND = 404;
const FORBIDDEN = 403;
const MAX_NAMED = 10;
const PAGE = 200;
/** Threads that may contain the text somewhere else than at the beginning of their id before the search is given up. */
const MAX_PAGES = 50;

export interface Candidates<Item> {
  /** What is looked for: `thread`, `run`. */
  noun: string;
  items: AsyncIterable<Item> | Iterable<Item>;
  idOf(item: Item): string;
  /** Where they are listed; ends the sentence that there is none. */
  hint?: string;
}

/**
 * The item with this id, or else the only one whose id begins so. Items may have the same id: the first counts.
 * @throws CliError when there is none; with exit code 2, naming them, when there are several
 */
export async function findByBeginning<Item>(begin: string, candidates: Candidates<Item>): Promise<Item> {
  const { noun, items, idOf, hint } = candidates;
  const found = new Map<string, Item>();
  for await (const item of items) {
    const id = idOf(item);
    if (id === begin) return item;
    if (begin !== '' && id.startsWith(begin) && !found.has(id)) found.set(id, item);
  }
  const [first, ...others] = found.values();
  if (first === undefined) {
    throw new CliError(`There is no ${noun} ${printable(begin)}${hint === undefined ? '.' : `; ${hint}`}`);
  }
  if (others.length > 0) throw ambiguous(begin, noun, [...found.keys()]);
  return first;
}

/**
 * The id of the thread with this id, or else of the only one whose id begins so; asks the API. For a token that may not look at threads
 * it is the given text.
 * @throws CliError as `findByBeginning`, and when the server refuses or is away
 */
export async function findThreadId(client: ApiClient, begin: string): Promise<string> {
  try {
    if (await hasThread(client, begin)) return begin;
  } catch (error) {
    if (error instanceof RefusalError && error.status === FORBIDDEN) return begin;
    throw error;
  }
  const items = threadIds(client, begin);
  return findByBeginning(begin, { noun: 'thread', items, idOf: (id) => id });
}

async function hasThread(client: ApiClient, id: string): Promise<boolean> {
  // In an address these two would mean another thread; no thread has such an id.
  if (['', '.', '..'].includes(id)) return false;
  try {
    await client.sendForText('GET', `/threads/${encodeURIComponent(id)}/checkpoints?limit=1&history=none`);
    return true;
  } catch (error) {
    if (error instanceof RefusalError && error.status === NOT_FOUND) return false;
    throw error;
  }
}

/** The API finds the text anywhere in an id, and in other fields: what begins with it is among them. */
async function* threadIds(client: ApiClient, begin: string): AsyncGenerator<string> {
  if (begin === '') return;
  const search = new URLSearchParams({ q: begin, limit: String(PAGE) });
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { items, next_cursor } = await client.send<{ items: { thread_id: string }[]; next_cursor: string | null }>(
      'GET',
      `/threads?${search}`,
    );
    for (const { thread_id } of items) yield thread_id;
    if (next_cursor === null) return;
    search.set('cursor', next_cursor);
  }
  throw new CliError(`Too many threads contain ${printable(begin)}; give more of the id.`, MISUSED);
}

function ambiguous(begin: string, noun: string, ids: readonly string[]): CliError {
  const named = ids.slice(0, MAX_NAMED).map((id) => `  ${printable(id)}`);
  const rest = ids.length > MAX_NAMED ? [`  and ${ids.length - MAX_NAMED} more`] : [];
  const lines = [`More than one ${noun} begins with ${printable(begin)}:`, ...named, ...rest];
  return new CliError(lines.join('\n'), MISUSED);
}
