import { JsonScanner } from '../common/json-scanner.js';
import type { ApiClient } from './api-client.js';
import { RefusalError } from './cli-error.js';
import { findByBeginning, findThreadId } from './ids.js';
import { jsonMembers } from './json-members.js';

/** The data of an effect that a person needs; arguments as exact JSON, so that nobody settles a rounded number. */
export interface EffectRecord {
  thread_id: string;
  key: string;
  agent_id: string;
  trace_id: string;
  tool: string;
  state: string;
  in_doubt: boolean;
  attempt: number;
  holder: string | null;
  started_at: string;
  decided_by: string | null;
  reason: string | null;
  /** Exact JSON. */
  argsText: string;
  /** The record as the server sent it, on one line. */
  json: string;
}

const PAGE = 100;
const NOT_FOUND = 404;

/** All effects of the list at this path, page by page. */
export async function* fetchEffects(
  client: ApiClient,
  path: string,
  query: Record<string, string>,
): AsyncGenerator<EffectRecord> {
  const search = new URLSearchParams({ limit: String(PAGE), ...query });
  for (;;) {
    let cursor: string | null = null;
    for await (const { name, text } of jsonMembers(client.stream(`${path}?${search}`), ['items'])) {
      if (name === 'next_cursor') cursor = JSON.parse(text) as string | null;
      if (name === 'items') yield readEffect(text);
    }
    if (cursor === null) return;
    search.set('cursor', cursor);
  }
}

/** Of all threads, oldest first. */
export function effectsInDoubt(client: ApiClient): AsyncGenerator<EffectRecord> {
  return fetchEffects(client, '/v1/effects', { state: 'in_doubt' });
}

/**
 * Those of the thread with this id, or else of the only one whose id begins so.
 * @throws CliError as `findByBeginning`
 */
export async function* effectsOfThread(
  client: ApiClient,
  begin: string,
  query: Record<string, string> = {},
): AsyncGenerator<EffectRecord> {
  const threadId = (await hasEffects(client, begin)) ? begin : await threadBeginning(client, begin);
  yield* fetchEffects(client, effectsPath(threadId), query);
}

/** A thread whose first report has not come has effects, but is not listed. */
async function hasEffects(client: ApiClient, threadId: string): Promise<boolean> {
  if (['', '.', '..'].includes(threadId)) return false;
  try {
    await client.sendForText('GET', `${effectsPath(threadId)}?limit=1`);
    return true;
  } catch (error) {
    if (error instanceof RefusalError && error.status === NOT_FOUND) return false;
    throw error;
  }
}

/** What is in doubt is looked through first: it is what people look for, and approvers may not look at threads. */
async function threadBeginning(client: ApiClient, begin: string): Promise<string> {
  const found = new Set<string>();
  for await (const { thread_id } of effectsInDoubt(client)) if (thread_id.startsWith(begin)) found.add(thread_id);
  return found.size > 0
    ? findByBeginning(begin, { noun: 'thread', items: found, idOf: (id) => id })
    : findThreadId(client, begin);
}

export function effectsPath(threadId: string): string {
  return `/v1/runners/threads/${encodeURIComponent(threadId)}/effects`;
}

export function readEffect(text: string): EffectRecord {
  const scanner = new JsonScanner(Buffer.from(text));
  let argsText = '';
  scanner.members((name) => {
    const [from, to] = scanner.value();
    if (name === 'args') argsText = scanner.bytes.toString('utf8', from, to);
  });
  const record = JSON.parse(text) as Omit<EffectRecord, 'argsText' | 'json'>;
  // Between the tokens of JSON a line break is as good as a space, and within them there is none.
  return { ...record, argsText, json: text.replaceAll(/[\r\n]+/g, ' ') };
}

/** In the words of people: `in doubt` stands for started, but nobody knows. */
export function stateOf({ state, in_doubt }: Pick<EffectRecord, 'state' | 'in_doubt'>): string {
  return in_doubt ? 'in doubt' : state.replace('_', ' ');
}
