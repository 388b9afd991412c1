import type { Answer, ApiClient } from '../api-client.js';
import { effectsPath } from '../effects.js';
import { leasePath } from '../leases.js';
import { latestPath, threadPath } from '../recording.js';
import { statePath } from '../states.js';
import type { RacedThread } from './routes.js';

/**
 * What differs between two threads with one story: times, numbers and names that are given out once, and digests of these. The numbers of
 * changes differ within a group, too: its approvals get theirs behind all of its reports.
 */
const PASSING = [
  ...[/_at$/, /fence/, /_ms$/, /^expires/, /digest$/, /cursor$/, /(^|_)seq$/],
  /^(change_no|pk|thread_pk|mark|version|token|id|check|rev)$/,
];
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

/** An answer without what passes, and without the names of its thread. */
export function normalised(answer: Answer, { id, trace, agent }: RacedThread): string {
  const named = (text: string) =>
    text
      .replaceAll(trace, 'TRACE')
      .replaceAll(agent, 'AGENT')
      .replaceAll(id, 'THREAD')
      .replace(UUID, 'UUID')
      .replace(TIME, 'TIME')
      .replace(/\b1[789]\d{11}\b/g, 'MS');
  const plain = (text: string) => {
    try {
      return JSON.stringify(JSON.parse(text), (key, value: unknown) =>
        PASSING.some((name) => name.test(key)) ? typeof value : value,
      );
    } catch {
      return text;
    }
  };
  return named(`${answer.status} ${answer.text.split('\n').map(plain).sort().join('\n')}`);
}

/** Everything that can be read of a thread. */
export async function readingsOf(api: ApiClient, thread: RacedThread): Promise<Record<string, string>> {
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
    export: `/v1/threads/${id}/export`,
  };
  const read: Record<string, string> = {};
  for (const [name, path] of Object.entries(paths)) read[name] = normalised(await api.get(path), thread);
  return read;
}
