import type { ApiClient } from './api-client.js';
import { CliError, isRefusal, UsageError } from './cli-error.js';
import { printable } from './printable.js';

const FORBIDDEN = 403;
const MAX_NAMED = 10;
/** Gives up the search after this many threads that may contain the text elsewhere than at the start of their id. */
const MAX_THREADS = 10_000;

export interface Candidates<Item> {
  /** The kind of item: `thread`, `run`. */
  noun: string;
  items: AsyncIterable<Item> | Iterable<Item>;
  idOf(item: Item): string;
  /** Where they are listed; appended to the message that there is none. */
  hint?: string;
}

/**
 * The item with this id, or the only one whose id has this prefix. Of items with the same id the first counts.
 * @throws CliError when there is none; with exit code 2, naming them, when there are several
 */
export async function findByPrefix<Item>(prefix: string, candidates: Candidates<Item>): Promise<Item> {
  const { noun, items, idOf, hint } = candidates;
  const found = new Map<string, Item>();
  for await (const item of items) {
    const id = idOf(item);
    if (id === prefix) return item;
    if (prefix !== '' && id.startsWith(prefix) && !found.has(id)) found.set(id, item);
  }
  const [first, ...others] = found.values();
  if (first === undefined) {
    throw new CliError(`There is no ${noun} ${printable(prefix)}${hint === undefined ? '.' : `; ${hint}`}`);
  }
  if (others.length > 0) throw ambiguous(prefix, noun, [...found.keys()]);
  return first;
}

/**
 * The id of the thread with this id, or of the only one whose id has this prefix; asks the API. If the token may not read threads, the
 * given text.
 * @throws CliError as `findByPrefix`, and when the server refuses or cannot be reached
 */
export async function findThreadId(client: ApiClient, prefix: string): Promise<string> {
  const path = `/threads/${encodeURIComponent(prefix)}/checkpoints?limit=1&history=none`;
  try {
    if (isThreadId(prefix) && (await client.exists(path))) return prefix;
  } catch (error) {
    if (isRefusal(error, FORBIDDEN)) return prefix;
    throw error;
  }
  const items = prefix === '' ? [] : threadIds(client, prefix);
  return findByPrefix(prefix, { noun: 'thread', items, idOf: (id) => id });
}

/** Whether the text can be an id; other texts would mean something else in a URL. */
export function isThreadId(text: string): boolean {
  return !['', '.', '..'].includes(text);
}

/** The API finds the text anywhere in an id and in other fields, so its results include all ids with this prefix. */
async function* threadIds(client: ApiClient, prefix: string): AsyncGenerator<string> {
  let count = 0;
  for await (const text of client.items('/threads', { q: prefix })) {
    yield (JSON.parse(text) as { thread_id: string }).thread_id;
    count += 1;
    if (count === MAX_THREADS)
      throw new UsageError(`Too many threads contain ${printable(prefix)}; give more of the id.`);
  }
}

function ambiguous(prefix: string, noun: string, ids: readonly string[]): UsageError {
  const named = ids.slice(0, MAX_NAMED).map((id) => `  ${printable(id)}`);
  const rest = ids.length > MAX_NAMED ? [`  and ${ids.length - MAX_NAMED} more`] : [];
  const lines = [`More than one ${noun} begins with ${printable(prefix)}:`, ...named, ...rest];
  return new UsageError(lines.join('\n'));
}
