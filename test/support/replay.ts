import type { ApiClient } from './api-client.js';
import { rawAt, rawElements, rawMembers } from './raw-json.js';
import { EVENTS, ok, threadPath } from './recording.js';
import type { RecordedRun } from './replay-source.js';

const START_MS = Date.UTC(2026, 0, 1);

/** Number of messages in each checkpoint of a run: one checkpoint after each assistant turn. */
function turnsOf(run: RecordedRun): number[] {
  return run.messages.flatMap((text, index) => (roleOf(text) === 'assistant' ? [index + 1] : []));
}

function roleOf(message: string): unknown {
  return JSON.parse(rawMembers(message).get('role') ?? 'null');
}

function metaOf(run: RecordedRun, index: number): string {
  const ts = new Date(START_MS + index * 1500).toISOString();
  const isAssistant = roleOf(run.messages[index] ?? '{}') === 'assistant';
  return isAssistant ? `{"ts":"${ts}","tokens_in":${900 + index},"tokens_out":${80 + index}}` : `{"ts":"${ts}"}`;
}

/** Reports a run as its agent would: start, the whole history after each turn, end. */
export async function replay(api: ApiClient, run: RecordedRun): Promise<void> {
  const ids = `"thread_id":${JSON.stringify(run.id)},"trace_id":"run-1","agent_id":"recorded"`;
  await post(api, `{"type":"thread_started","data":{${ids},"model":"recorded"}}`);
  for (const [step, length] of turnsOf(run).entries()) {
    const history = run.messages.slice(0, length);
    const meta = history.map((_, index) => metaOf(run, index));
    const figures = `"step_index":${step},"status":"in_progress","tokens_used":${100 * step},"model":"recorded","run_cost_usd":0.0${step}`;
    const data = `{${ids},${figures},"history":[${history.join(',')}],"history_meta":[${meta.join(',')}]}`;
    await post(api, `{"type":"checkpoint","data":${data}}`);
  }
  await post(api, `{"type":"thread_completed","data":{${ids},"tokens_used":4321}}`);
}

/** Reads every checkpoint of a run back and compares it byte for byte. @returns their number */
export async function compareReplay(api: ApiClient, run: RecordedRun): Promise<number> {
  const { text } = ok(await api.get(threadPath(run.id, '/checkpoints')));
  const rows = rawElements(rawAt(text, 'items') ?? '[]').map((row) => rawMembers(row));
  const turns = turnsOf(run);
  expect(rows.map((row) => row.get('step_index'))).toEqual(turns.map((_, step) => String(step)));
  for (const [step, length] of turns.entries()) {
    const row = rows[step];
    expect(rawElements(row?.get('history') ?? '[]')).toEqual(run.messages.slice(0, length));
    const meta = run.messages.slice(0, length).map((_, index) => metaOf(run, index));
    expect(rawElements(row?.get('history_meta') ?? '[]')).toEqual(meta);
  }
  return turns.length;
}

/** Bytes of the distinct messages of each run, each with its metadata: the least that any store must hold. */
export function distinctBytes(runs: readonly RecordedRun[]): number {
  const bytesOf = (run: RecordedRun) => {
    const last = turnsOf(run).at(-1) ?? 0;
    const messages = new Set(run.messages.slice(0, last));
    const meta = run.messages.slice(0, last).map((_, index) => metaOf(run, index));
    return [...messages, ...meta].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  };
  return runs.reduce((sum, run) => sum + bytesOf(run), 0);
}

async function post(api: ApiClient, event: string): Promise<void> {
  expect(ok(await api.post(EVENTS, `{"events":[${event}]}`)).json()).toEqual({ saved: 1, rejected: [] });
}
