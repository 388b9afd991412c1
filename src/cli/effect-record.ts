import type { ApiClient, Query } from './api-client.js';
import { findByPrefix, findThreadId, isThreadId } from './ids.js';
import { membersOf, singleLine } from './json-members.js';

/** What a person needs to know of an effect. Arguments are exact JSON, so that nobody settles a rounded number. */
export interface EffectRecord {
  thread_id: string;
  key: string;
  agent_id: string;
  trace_id: string;
  tool: string;
  state: string;
  in_doubt: boolean;
  attempt: number;
  started_at: string;
  settled_at: string | null;
  decided_by: string | null;
  /** Exact JSON. */
  argsText: string;
  /** The record as the server sent it, on one line. */
  json: string;
}

/** All effects of the list at this path. */
export async function* fetchEffects(client: ApiClient, path: string, query: Query): AsyncGenerator<EffectRecord> {
  for await (const json of client.items(path, query)) yield readEffect(json);
}

/** Effects in doubt of all threads, oldest first. */
export function effectsInDoubt(client: ApiClient): AsyncGenerator<EffectRecord> {
  return fetchEffects(client, '/v1/effects', { state: 'in_doubt' });
}

/**
 * Effects of the thread with this id, or the only one whose id has this prefix.
 * @throws CliError as `findByPrefix`
 */
export async function* effectsOfThread(
  client: ApiClient,
  prefix: string,
  query: Query = {},
): AsyncGenerator<EffectRecord> {
  // Before its first report a thread has effects, but is not listed.
  const isWhole = isThreadId(prefix) && (await client.exists(`${effectsPath(prefix)}?limit=1`));
  const threadId = isWhole ? prefix : await threadBeginning(client, prefix);
  yield* fetchEffects(client, effectsPath(threadId), query);
}

/** Searches effects in doubt first: they are the likely target, and approvers may not read threads. */
async function threadBeginning(client: ApiClient, prefix: string): Promise<string> {
  const found = new Set<string>();
  for await (const { thread_id } of effectsInDoubt(client)) if (thread_id.startsWith(prefix)) found.add(thread_id);
  return found.size > 0
    ? findByPrefix(prefix, { noun: 'thread', items: found, idOf: (id) => id })
    : findThreadId(client, prefix);
}

export function effectsPath(threadId: string): string {
  return `/v1/runners/threads/${encodeURIComponent(threadId)}/effects`;
}

export function readEffect(json: string): EffectRecord {
  const record = JSON.parse(json) as Omit<EffectRecord, 'argsText' | 'json'>;
  const argsText = membersOf(json).find(({ name }) => name === 'args')?.text ?? '';
  return { ...record, argsText, json: singleLine(json) };
}

/** The state for people: `in doubt` means started with an unknown outcome. */
export function stateOf({ state, in_doubt }: Pick<EffectRecord, 'state' | 'in_doubt'>): string {
  return in_doubt ? 'in doubt' : state.replace('_', ' ');
}

/** The API's outcomes of a settlement, and what each means to a person. */
export const OUTCOMES: readonly (readonly [outcome: string, meaning: string])[] = [
  ['completed', 'it happened: it is never made again'],
  ['not_done', 'it did not happen: the agent may make it again'],
  ['failed', 'it was tried and had no effect: the agent may make it again'],
  ['unknown', 'nobody knows yet: it stays in doubt'],
];
