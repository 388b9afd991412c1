import { readFileSync } from 'node:fs';
import path from 'node:path';
import { WaystationApi, WaystationClient, type Run } from '../../../src/client/waystation-client.js';
import { newThreadId } from '../../factories/events.js';
import { approvalPath } from '../../support/approvals.js';
import { detailOf, latestOf, threadPath } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

/** An action on a thread; clients/python/tests/test_runs.py does the same for each. */
interface Action {
  /** The messages of a checkpoint. */
  checkpoint?: string[];
  status?: string;
  /** Whether it asks about the call; otherwise the call is only its last message. */
  asks?: boolean;
  calls?: boolean;
  features?: string[];
  run?: string;
  name?: string;
  event?: string;
  /** The step of the calls. */
  approve?: number;
  reject?: number;
  with?: object;
  cancel?: boolean;
  /** The key of an effect. */
  doubt?: string;
  settle?: string;
  outcome?: 'completed' | 'not_done';
  result?: string;
  /** Another process leases the run. */
  drive?: boolean;
  /** The run itself does what follows. Messages to add. */
  step?: string[];
  /** The expected decisions of people; null if nobody can decide. */
  decisions?: Record<string, object> | null;
  meanwhile?: Action;
  effect?: string;
  gives?: unknown;
  is_made?: boolean;
  /** Bytes of a file. */
  attach?: string;
  caption?: string;
  raise?: string;
  stop?: boolean;
  lease?: boolean;
}

interface RunCase {
  name: string;
  before?: Action[];
  asks_for?: string;
  resume?: 'safe';
  enters: { status: string | null; is_resumed: boolean; has_asked: boolean; said: unknown[]; for_model?: number };
  does: Action[];
  ends: { error?: string; runs: string[]; said?: unknown[]; is_free?: boolean; logged?: string };
}

const FILE = path.resolve(import.meta.dirname, '../../../clients/run-cases.json');
const { call, cases } = JSON.parse(readFileSync(FILE, 'utf8')) as { call: object; cases: RunCase[] };

const server = useSharedServer();
const clients: WaystationClient[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((one) => one.close()));
});

function client(): WaystationClient {
  const { baseUrl: apiUrl, token } = server.api;
  const made = new WaystationClient({ apiUrl, token, agentId: 'support', onRejected: () => undefined });
  clients.push(made);
  return made;
}

const said = (history: readonly unknown[]) =>
  history.map((one) => (one as { content?: string | null }).content ?? null);
const message = (content: string) => ({ role: 'user', content });

/** The actions of people, earlier processes and others on a thread. */
class Thread {
  readonly id = newThreadId();
  /** The process under test. */
  readonly driver = client();

  traceOf(run = 'first'): string {
    return `${run}-${this.id}`;
  }

  async happens(action: Action, traceId = this.traceOf(action.run)): Promise<void> {
    const run = { thread_id: this.id, trace_id: traceId };
    const one = client();
    const { checkpoint: messages, status, asks, calls, features } = action;
    if (messages) {
      const history = [
        ...messages.map(message),
        ...(calls ? [{ role: 'assistant', content: null, tool_calls: [call] }] : []),
      ];
      const asking = asks ? { pending_tool_calls: [call], ...(features && { approval_features: features }) } : {};
      await one.checkpoint({ ...run, history, status, ...asking });
    }
    if (action.event) await one.report(action.event, run);
    await one.flush();
    for (const verb of ['approve', 'reject'] as const) {
      if (action[verb] !== undefined)
        await this.must(server.api.post(approvalPath(traceId, action[verb], `/${verb}`), action.with ?? {}));
    }
    if (action.cancel) await this.must(server.api.post(threadPath(this.id, `/runs/${traceId}/cancel`), {}));
    if (action.doubt !== undefined) {
      const breaks = () => Promise.reject(new Error('the line broke'));
      await one.effect(run, { key: action.doubt, tool: 'refund' }, breaks).catch(() => undefined);
    }
    if (action.settle !== undefined) {
      const { settle, outcome = 'completed', result } = action;
      const { baseUrl: apiUrl, token } = server.api;
      const { effects } = new WaystationApi({ apiUrl, token });
      await effects.settle(this.id, settle, { attempt: 1, outcome, result }, { agent_id: 'support' });
    }
    if (action.drive) await one.lease(run);
  }

  private async must(answer: Promise<{ status: number; text: string }>): Promise<void> {
    const { status, text } = await answer;
    if (status >= 300) throw new Error(`${status} ${text}`);
  }
}

/** The actions of a run. */
async function act(thread: Thread, run: Run, action: Action, history: unknown[], stop: AbortController): Promise<void> {
  if (action.step) {
    history.push(...action.step.map(message));
    await run.step(history);
    await thread.driver.flush();
  }
  if (action.decisions === null) await run.decisions();
  if (action.decisions) {
    const waiting = run.decisions();
    if (action.meanwhile) await thread.happens(action.meanwhile, run.traceId);
    expect(Object.fromEntries(await waiting)).toMatchObject(action.decisions);
  }
  if (action.effect !== undefined) {
    let isMade = false;
    const made = await run.effect({ key: action.effect, tool: 'refund' }, () => {
      isMade = true;
      return action.gives;
    });
    expect([made, isMade]).toEqual([action.gives, action.is_made]);
  }
  if (action.cancel) await thread.happens(action, run.traceId);
  if (action.lease) await run.lease();
  if (action.attach !== undefined) {
    const { name, caption } = action;
    await run.attach(Buffer.from(action.attach), { name, caption });
  }
  if (action.raise !== undefined) throw new Error(action.raise);
  if (action.stop) {
    stop.abort(new Error('stopped'));
    stop.signal.throwIfAborted();
  }
}

async function driven(thread: Thread, one: RunCase): Promise<{ error: Error | undefined; traceId: string }> {
  const stop = new AbortController();
  let traceId = '';
  const options = {
    signal: stop.signal,
    ...(one.resume && { resume: one.resume }),
    ...(one.asks_for && { traceId: thread.traceOf(one.asks_for) }),
  };
  const work = async (run: Run) => {
    traceId = run.traceId;
    const { status, isResumed: is_resumed, hasAsked: has_asked } = run;
    const { for_model, ...entered } = one.enters;
    expect({ status, is_resumed, has_asked, said: said(run.history) }).toEqual(entered);
    if (for_model !== undefined) expect(run.latest?.history_for_model).toHaveLength(for_model);
    if (is_resumed) expect(run.traceId).toBe(thread.traceOf());
    const history = [...run.history];
    for (const action of one.does) await act(thread, run, action, history, stop);
    return 'done';
  };
  const ran = thread.driver.run(thread.id, work, options);
  const error = await ran.then(
    (answer) => void expect(answer).toBe('done'),
    (thrown: Error) => thrown,
  );
  return { error, traceId };
}

describe('A run', () => {
  it.each(cases)('$name', async (one) => {
    const thread = new Thread();
    for (const action of one.before ?? []) await thread.happens(action);
    const { error, traceId } = await driven(thread, one);
    if (error && ![error.name, error.message].includes(one.ends.error ?? '')) throw error;
    expect(error === undefined).toBe(one.ends.error === undefined);
    await thread.driver.flush();
    const { run_list: runs, logs } = (await detailOf(server.api, thread.id)) as {
      run_list: { status: string }[];
      logs: { message: string }[];
    };
    if (one.ends.logged) expect(logs.map((entry) => entry.message)).toContain(one.ends.logged);
    expect(runs.map(({ status }) => status)).toEqual(one.ends.runs);
    const { history } = await latestOf(server.api, thread.id, { trace_id: traceId });
    if (one.ends.said) expect(said(history)).toEqual(one.ends.said);
    if (one.ends.is_free) await (await client().lease({ thread_id: thread.id, trace_id: traceId })).release();
  });
});
