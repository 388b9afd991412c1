import type { ApiClient } from './api-client.js';
import { CliError, isRefusal, UsageError } from './cli-error.js';
import { printable } from './printable.js';

const FORBIDDEN = 403;
const MAX_NAMED = 10;
/** Threads that may contain the text somewhere else than at the beginning of their id before the search is given up. */
const MAX_THREADS = 10_000;

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
  const path = `/threads/${encodeURIComponent(begin)}/checkpoints?limit=1&history=none`;
  try {
    if (isThreadId(begin) && (await client.exists(path))) return begin;
  } catch (error) {
    if (isRefusal(error, FORBIDDEN)) return begin;
    throw error;
  }
  const items = begin === '' ? [] : threadIds(client, begin);
  return findByBeginning(begin, { noun: 'thread', items, idOf: (id) => id });
}

/** In an address the others would mean something else. */
export function isThreadId(text: string): boolean {
  return !['', '.', '..'].includes(text);
}

/** The API finds the text anywhere in an id, and in other fields: what begins with it is among them. */
async function* threadIds(client: ApiClient, begin: string): AsyncGenerator<string> {
  let count = 0;
  for await (const text of client.items('/threads', { q: begin })) {
    yield (JSON.parse(text) as { thread_id: string }).thread_id;
    count += 1;
    if (count === MAX_THREADS)
      throw new UsageError(`Too many threads contain ${printable(begin)}; give more of the id.`);
  }
}

function ambiguous(begin: string, noun: string, ids: readonly string[]): UsageError {
  const named = ids.slice(0, MAX_NAMED).map((id) => `  ${printable(id)}`);
  const rest = ids.length > MAX_NAMED ? [`  and ${ids.length - MAX_NAMED} more`] : [];
  const lines = [`More than one ${noun} begins with ${printable(begin)}:`, ...named, ...rest];
  return new UsageError(lines.join('\n'));
}
