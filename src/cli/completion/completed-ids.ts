import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../api-client.js';
import { readApprovalPage } from '../approval-record.js';
import type { ChannelRecord } from '../channel-record.js';
import { connect } from '../connect.js';
import { jsonMembers } from '../json-members.js';
import { printable } from '../printable.js';
import type { RunRecord } from '../thread-record.js';

export interface Completion {
  value: string;
  /** For shells that show what a value is; may be empty. */
  about: string;
}

export interface WantedId {
  /** Of the argument or option. */
  name: string;
  /** Names of the command and of the one above it. */
  command: string;
  /** Arguments before it. */
  given: readonly string[];
  /** What of it stands there. */
  begin: string;
}

type Source = (client: ApiClient, wanted: WantedId) => Promise<Completion[]>;

/** A person waits after a press of Tab. */
const LIMIT_MS = 300;
const PAGE = 100;

const SOURCES: Record<string, Source> = {
  thread: threads,
  trace: approvals,
  step: steps,
  only: calls,
  key: keys,
  run: runs,
  agent: agents,
  agents,
  channel: channels,
};

/** Ids of the running server that may stand there; none when it is away, slow or refuses: no error belongs into a line that is being typed. */
export async function idsOf(wanted: WantedId): Promise<Completion[]> {
  const source = wanted.command === 'token revoke' ? tokens : SOURCES[wanted.name];
  if (source === undefined) return [];
  try {
    const found = await Promise.race([source(connect(), wanted), sleep(LIMIT_MS, [])]);
    // What a terminal would obey, or what breaks the lines of the answer, can only be typed.
    return found.filter(({ value }) => value !== '' && printable(value) === value && !value.startsWith('-'));
  } catch {
    return [];
  }
}

async function threads(client: ApiClient, { begin }: WantedId): Promise<Completion[]> {
  const search = new URLSearchParams({ limit: String(PAGE), ...(begin === '' ? {} : { q: begin }) });
  type Item = { thread_id: string; agent_id: string; status: string };
  const { items } = await client.send<{ items: Item[] }>('GET', `/threads?${search}`);
  return items.map(({ thread_id, agent_id, status }) => ({ value: thread_id, about: aboutOf(agent_id, status) }));
}

async function waiting(client: ApiClient) {
  return readApprovalPage(await client.sendForText('GET', `/approvals?limit=${PAGE}`)).records;
}

async function approvals(client: ApiClient): Promise<Completion[]> {
  const found = await waiting(client);
  const about = new Map(
    found.map(({ trace_id, agent_id, calls: all }) => [
      trace_id,
      aboutOf(agent_id, ...all.map(({ name }) => name ?? '-')),
    ]),
  );
  return [...about].map(([value, text]) => ({ value, about: text }));
}

async function steps(client: ApiClient, { given }: WantedId): Promise<Completion[]> {
  const found = (await waiting(client)).filter(({ trace_id }) => trace_id === given[0]);
  return found.map(({ step, calls: all }) => ({
    value: String(step),
    about: aboutOf(...all.map(({ name }) => name ?? '-')),
  }));
}

async function calls(client: ApiClient, { given }: WantedId): Promise<Completion[]> {
  const found = (await waiting(client)).filter(({ trace_id }) => given[0] === undefined || trace_id === given[0]);
  return found.flatMap((approval) =>
    approval.calls.map(({ id, name }) => ({ value: id ?? '', about: aboutOf(name ?? '-') })),
  );
}

/** Of calls in doubt, in the thread that stands before. */
async function keys(client: ApiClient, { given }: WantedId): Promise<Completion[]> {
  type Item = { thread_id: string; key: string; tool: string };
  const { items } = await client.send<{ items: Item[] }>('GET', `/v1/effects?limit=${PAGE}`);
  const found = items.filter(({ thread_id }) => given[0] === undefined || thread_id === given[0]);
  return found.map(({ key, tool }) => ({ value: key, about: tool }));
}

/** The runs of the thread that stands before, if one does; the server sends them early, and reading ends with them. */
async function runs(client: ApiClient, { given }: WantedId): Promise<Completion[]> {
  if (given[0] === undefined) return shownRuns(client);
  for await (const { name, text } of jsonMembers(client.stream(`/threads/${encodeURIComponent(given[0])}`), ['logs'])) {
    if (name !== 'run_list') continue;
    const list = JSON.parse(text) as RunRecord[];
    return list.map(({ trace_id, agent_id, status }) => ({ value: trace_id, about: aboutOf(agent_id, status) }));
  }
  return [];
}

/** Of the threads that changed last. */
async function shownRuns(client: ApiClient): Promise<Completion[]> {
  type Item = { trace_id: string; agent_id: string; status: string };
  const { items } = await client.send<{ items: Item[] }>('GET', `/threads?limit=${PAGE}`);
  return items.map(({ trace_id, agent_id, status }) => ({ value: trace_id, about: aboutOf(agent_id, status) }));
}

async function agents(client: ApiClient): Promise<Completion[]> {
  const { items } = await client.send<{ items: { agent_id: string; online: boolean }[] }>(
    'GET',
    `/v1/agents?limit=${PAGE}`,
  );
  return items.map(({ agent_id, online }) => ({ value: agent_id, about: online ? 'online' : 'away' }));
}

async function channels(client: ApiClient): Promise<Completion[]> {
  const { items } = await client.send<{ items: ChannelRecord[] }>('GET', `/v1/channels?limit=${PAGE}`);
  return items.map(({ id, name, channel_type }) => ({ value: id, about: aboutOf(channel_type, name) }));
}

async function tokens(client: ApiClient): Promise<Completion[]> {
  type Item = { id: string; scope: string; name: string | null };
  const { items } = await client.send<{ items: Item[] }>('GET', `/v1/tokens?limit=${PAGE}`);
  return items.map(({ id, scope, name }) => ({ value: id, about: aboutOf(scope, name ?? '') }));
}

function aboutOf(...words: string[]): string {
  return words
    .filter((word) => word !== '')
    .map(printable)
    .join(', ');
}
