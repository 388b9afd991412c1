import type { ApiClient } from './api-client.js';
import { EventStream } from './event-stream.js';
import { latestPath, ok, threadPath } from './recording.js';

interface Detail {
  run_list: { trace_id: string }[];
  agents: string[];
}

/** Every API response about one thread, including its live stream, as sent over the wire, by path. */
export async function readingsOf(api: ApiClient, threadId: string): Promise<Record<string, string>> {
  return { ...(await answersOf(api, threadId)), stream: await streamed(api, threadId) };
}

/** The same without the stream. */
export async function answersOf(api: ApiClient, threadId: string): Promise<Record<string, string>> {
  const { run_list: runs, agents } = ok(await api.get(threadPath(threadId))).json<Detail>();
  const paths = [
    threadPath(threadId),
    threadPath(threadId, '', { logs_limit: '3' }),
    ...['full', 'new', 'none'].map((history) => threadPath(threadId, '/checkpoints', { history })),
    threadPath(threadId, '/checkpoints', { limit: '2' }),
    latestPath(threadId),
    latestPath(threadId, { resume: 'false' }),
    ...runs.map(({ trace_id }) => latestPath(threadId, { trace_id })),
    ...agents.map((agent_id) => latestPath(threadId, { agent_id })),
    `/approvals?status=all&thread_id=${encodeURIComponent(threadId)}`,
    `/threads?include=history&q=${encodeURIComponent(threadId)}`,
  ];
  const readings: Record<string, string> = {};
  for (const path of paths) {
    const { status, text } = await api.get(path);
    readings[path] = `${status} ${text}`;
  }
  return readings;
}

/** The live stream from the first change to the last. */
async function streamed(api: ApiClient, threadId: string): Promise<string> {
  const now = await EventStream.open(api, threadPath(threadId, '/stream'));
  await now.until('the latest checkpoint', ({ seen }) => seen.length > 0);
  now.close();
  const last = Number(now.seen[0]!.id!.split('.')[0]);
  const all = await EventStream.open(api, threadPath(threadId, '/stream'), '0');
  // The last change may cause no event; then only its id arrives.
  await all.until('all changes', ({ lastId: id }) => Number(id?.split('.')[0]) >= last && isWhole(id));
  all.close();
  return JSON.stringify([now.seen[0], ...all.seen]);
}

/** Parts of a change have a second number; the whole change has none. */
function isWhole(id: string | null): boolean {
  return id !== null && !id.includes('.');
}
