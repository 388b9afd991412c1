import type { Answer, ApiClient } from '../api-client.js';
import { testDialect } from '../dialect.js';
import { effectsPath } from '../effects.js';
import { EventStream, type StreamedEvent } from '../event-stream.js';
import { leasePath } from '../leases.js';
import { latestPath, threadPath } from '../recording.js';
import { statePath } from '../states.js';
import type { RacedThread } from './routes.js';

/** A race's outcome by name: responses, and everything that can be read. */
export type Outcome = Record<string, string>;

/** Values that differ between two servers with the same story: names and numbers that each server assigns. */
const PASSING = /^(cursor|next_cursor|token|check)$/;
/** Terms of leases, which on PostgreSQL follow the database's running clock; and fences, which are times. */
const LEASE_TIME = /^(fence|last_fence|expires_at|live|ttl_ms|lapsed_at|released_at|claimed_at)$/;
const HELD_UNTIL = /(holds the lease until )[^ ]*/;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** A response without such values. */
export function normalised({ status, text }: Answer): string {
  return `${status} ${text.split('\n').map(withoutPassing).join('\n')}`;
}

export function withoutPassing(text: string): string {
  const named = text.replace(UUID, 'UUID').replace(HELD_UNTIL, testDialect() === 'postgres' ? '$1TIME' : '$&');
  try {
    return JSON.stringify(JSON.parse(named), (key, value: unknown) => (isPassing(key) ? typeof value : value));
  } catch {
    return named;
  }
}

function isPassing(key: string): boolean {
  return PASSING.test(key) || (testDialect() === 'postgres' && LEASE_TIME.test(key));
}

/** Everything that can be read of a thread. */
export async function readingsOf(api: ApiClient, thread: RacedThread): Promise<Outcome> {
  const { id, trace, agent } = thread;
  const paths: Record<string, string> = {
    latest: latestPath(id),
    'latest of the run': latestPath(id, { trace_id: trace }),
    'safe resume': latestPath(id, { resume: 'safe', trace_id: trace }),
    detail: threadPath(id),
    checkpoints: threadPath(id, '/checkpoints'),
    steps: threadPath(id, '/steps'),
    list: `/threads?q=${id}`,
    approvals: `/approvals?thread_id=${id}&status=all`,
    stats: `/v1/stats?agent_id=${agent}`,
    effects: effectsPath(id),
    lease: leasePath(id, '', trace),
    'second lease': leasePath(id, '', `${trace}-leased`),
    states: statePath(id, undefined, { agent_id: agent }),
  };
  const read = Object.entries(paths).map(async ([name, path]) => [name, normalised(await api.get(path))] as const);
  const exported = await exportOf(api, id);
  const events = replayed(api, id, lastSeqIn(exported));
  return { ...Object.fromEntries(await Promise.all(read)), export: normalised(exported), events: await events };
}

/** How long to wait for a stream that stands still, even on a busy machine. */
const PATIENCE_MS = 20_000;

let lastExport: Promise<unknown> = Promise.resolve();

/** Sequential: a server refuses more than a few exports at once. */
function exportOf(api: ApiClient, threadId: string): Promise<Answer> {
  const answer = lastExport.then(() => api.get(`/v1/threads/${threadId}/export`));
  lastExport = answer.catch(() => undefined);
  return answer;
}

/** The number of the thread's last change; null if there is no thread. */
export async function lastSeqOf(api: ApiClient, threadId: string): Promise<number | null> {
  return lastSeqIn(await exportOf(api, threadId));
}

function lastSeqIn({ status, text }: Answer): number | null {
  return status === 200 ? Number(/"last_seq":(\d+)/.exec(text)![1]) : null;
}

/** The thread's stream from its first event on. */
async function replayed(api: ApiClient, threadId: string, lastSeq: number | null): Promise<string> {
  if (lastSeq === null) return 'none';
  const stream = await EventStream.open(api, threadPath(threadId, '/stream'), '0');
  if (stream.response.statusCode !== 200) return String(stream.response.statusCode);
  const text = await toldUpTo(stream, lastSeq);
  stream.close();
  return text;
}

/** The stream's events up to this change: each once, in order. */
export async function toldUpTo(stream: EventStream, lastSeq: number): Promise<string> {
  const isThere = () => stream.lastId !== null && !stream.lastId.includes('.') && Number(stream.lastId) >= lastSeq;
  const missed = await stream.until(`change ${lastSeq}`, isThere, PATIENCE_MS).then(
    () => [],
    (error: Error) => [error.message],
  );
  const again = stream.seen.filter(({ id }, at) => at > 0 && placeOf(id!) <= placeOf(stream.seen[at - 1]!.id!));
  const repeated = again.map(({ id }) => `${id} came late or twice`);
  return [...missed, ...repeated, ...stream.seen.map(lineOf)].join('\n');
}

/**
 * The events without what depends on when a reader sees them. A later reader finds checkpoints changed by what followed, and other messages
 * new in a restarted attempt.
 */
export function whenever(events: string): string {
  const lines = events.split('\n').map((line) => line.replace(/^(\d+)\.\d+ /, '$1 '));
  const steps = new Set(lines.flatMap((line) => /^\d+ checkpoint /.exec(line) ?? []));
  const isOwnStatus = (line: string) => steps.has(line.replace(/^(\d+) status .*/, '$1 checkpoint '));
  return lines
    .filter((line) => !isOwnStatus(line))
    .map((line) => line.replace(/^(\d+ checkpoint )(.*)/, (_, start: string, data: string) => start + lasting(data)))
    .join('\n');
}

/** The members of a checkpoint that nothing later changes. */
function lasting(checkpoint: string): string {
  const { trace_id, agent_id, step_index } = JSON.parse(checkpoint) as Record<string, unknown>;
  return JSON.stringify({ trace_id, agent_id, step_index });
}

function lineOf({ id, event, data }: StreamedEvent): string {
  return `${id} ${event} ${withoutPassing(data)}`;
}

/** `17.1` comes before `17`, the last part of change 17. */
function placeOf(id: string): number {
  const [seq, part] = id.split('.');
  return Number(seq) + (part === undefined ? 0.999 : Number(part) / 10_000);
}
