import type { ApiClient } from '../api-client.js';
import { rawAt, rawElements, rawMembers } from '../raw-json.js';
import { checkpointsOf, detailOf, latestPath, ok, threadPath } from '../recording.js';
import type { ExpectedRow } from './run-model.js';
import type { ThreadModel } from './thread-model.js';

/** The compared fields of a checkpoint; the history to the last byte. */
interface Row {
  trace: string;
  agent: string;
  step: number;
  status: string | null;
  tokens: number;
  history: readonly string[];
}

/** Compares `latest` and the thread's detail with the run that the model shows. */
export async function compareLatest(api: ApiClient, threadId: string, model: ThreadModel): Promise<void> {
  const [expected, current] = [model.shown, model.current];
  if (!expected?.latest || (current?.progress === 0 && model.runs.length > 1)) return;
  const [wanted] = toRows([expected.latest]);
  const { text: detail } = ok(await api.get(threadPath(threadId)));
  expect({ detail: leavingOpen(readRow(detail, model), wanted) }).toEqual({ detail: wanted });
  const { text: latest } = ok(await api.get(latestPath(threadId, { resume: 'false' })));
  expect({ latest: leavingOpen(readRow(latest, model), wanted) }).toEqual({ latest: wanted });
}

/** Compares all checkpoints and the list of runs. */
export async function compareThread(api: ApiClient, threadId: string, model: ThreadModel): Promise<void> {
  if (model.runs.length === 0) {
    expect((await api.get(threadPath(threadId))).status).toBe(404);
    return;
  }
  const { text } = ok(await api.get(threadPath(threadId, '/checkpoints')));
  const rows = rawElements(rawAt(text, 'items') ?? '[]').map((row) => readRow(row, model));
  const wanted = toRows(model.rows);
  expect(rows.map((row, index) => leavingOpen(row, wanted[index]))).toEqual(wanted);
  const { run_list: runs } = (await detailOf(api, threadId)) as { run_list: Record<string, unknown>[] };
  await compareNews(api, threadId);
  const outlines = runs.map((run) => [known(String(run.trace_id), model), run.status, run.attempts]);
  expect(outlines).toEqual(model.runs.map((run) => [run.trace, run.status, run.attemptCount]));
}

/** Messages that a step has more often than the step before must be among its new ones. */
async function compareNews(api: ApiClient, threadId: string): Promise<void> {
  const whole = await checkpointsOf(api, threadId);
  const fresh = await checkpointsOf(api, threadId, { history: 'new' });
  const said = new Map<string, string[]>();
  for (const [index, { trace_id: trace, step_index: step, history }] of whole.entries()) {
    const now = history.map((message) => JSON.stringify(message));
    const news = fresh[index]!.history.map((message) => JSON.stringify(message));
    const missing = without(without(now, said.get(trace) ?? []), news);
    expect({ trace, step, missing }).toEqual({ trace, step, missing: [] });
    if (now.length > 0) said.set(trace, now);
  }
}

/** The messages left after removing each of the others once. */
function without(messages: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return messages.filter((message) => {
    const at = left.indexOf(message);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

function toRows(rows: readonly ExpectedRow[]): Row[] {
  return rows.map(({ trace, agent, step, status, tokens, history }) => ({
    trace,
    agent,
    step,
    status,
    tokens,
    history,
  }));
}

function readRow(text: string, model: ThreadModel): Row {
  const members = rawMembers(text);
  const value = (name: string): unknown => JSON.parse(members.get(name) ?? 'null');
  return {
    trace: known(String(value('trace_id')), model),
    agent: String(value('agent_id')),
    step: Number(value('step_index')),
    status: String(value('status')),
    tokens: Number(value('tokens_used')),
    history: rawElements(members.get('history') ?? '[]'),
  };
}

/** The trace in the model: one that the server created is `?`. */
function known(trace: string, model: ThreadModel): string {
  return model.runs.some((run) => run.trace === trace) ? trace : '?';
}

/** If the model leaves the status open, any is accepted. */
function leavingOpen(row: Row, wanted: Row | undefined): Row {
  return wanted?.status === null ? { ...row, status: null } : row;
}
