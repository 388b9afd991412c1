import fc from 'fast-check';
import { Clock } from '../../../src/common/clock.js';
import { Database, type SqlRow } from '../../../src/database/database.js';
import { newThreadId, type RunnerEvent } from '../../factories/events.js';
import type { ApiClient } from '../../support/api-client.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { EVENTS, latestOf, record } from '../../support/recording.js';
import { assertSearching, searchMs } from '../../support/search-seconds.js';

/** Stands still, so that stored rows have the same times. */
class StandingClock extends Clock {
  override nowMs(): number {
    return 1_763_600_000_000;
  }
}

/** Sequences in progress at once. */
const AT_ONCE = 4;
const SEARCH_MS = searchMs(4);
/** `WAYSTATION_TEST_SEED` sets another seed; a failure prints the seed. */
const seed = Number(process.env.WAYSTATION_TEST_SEED ?? 20_261_126);
const TABLES = ['thread', 'thread_agent', 'run', 'checkpoint', 'message', 'thread_event', 'seen_event'];

/** A server and its reporters: one without a bound token, one bound to an agent. */
interface Side extends InProcessApp {
  reporters: Record<Reporter, ApiClient>;
}
type Reporter = 'anyone' | 'a' | 'b';

/** Keeps every thread in memory. */
let remembering: Side;
/** Keeps none. */
let forgetful: Side;

async function side(env: Record<string, string>): Promise<Side> {
  const server = await startApp({ env, clock: new StandingClock() });
  const bound = async (agent: string) => {
    const made = await server.api.post('/v1/tokens', { scope: 'runner', agent_ids: [agent] });
    return server.api.as(made.json<{ token: string }>().token);
  };
  return { ...server, reporters: { anyone: server.api, a: await bound('a'), b: await bound('b') } };
}

beforeAll(async () => {
  remembering = await side({});
  forgetful = await side({ WAYSTATION_CACHE_BYTES: '0' });
});
afterAll(async () => {
  await remembering.stop();
  await forgetful.stop();
});

/** Few different texts, so that they repeat. */
const list = fc.array(fc.constantFrom('q', 'r', 's'), { maxLength: 4 });
const reports = fc.record({
  type: fc.constantFrom('checkpoint', 'checkpoint', 'checkpoint', 'checkpoint', 'thread_started', 'thread_completed'),
  by: fc.constantFrom<Reporter>('anyone', 'anyone', 'a', 'b'),
  agent: fc.constantFrom('a', 'a', 'b'),
  trace: fc.constantFrom('t1', 't1', 't2', 't3'),
  parent: fc.constantFrom(null, null, null, 't1'),
  step: fc.constantFrom(null, 0, 0, 1, 1, 2),
  turn: fc.constantFrom(0, 0, 0, 1),
  history: fc.oneof(fc.constant([]), list),
  meta: list,
  isCalling: fc.constantFrom(false, false, true),
  id: fc.constantFrom(null, null, 'new'),
  endsBatch: fc.constantFrom(true, true, false),
});
type Report = typeof reports extends fc.Arbitrary<infer T> ? T : never;

function eventOf(threadId: string, report: Report, index: number): RunnerEvent {
  const { type, agent, trace, parent, step, turn, history, meta, isCalling, id } = report;
  const run = { thread_id: threadId, trace_id: trace, agent_id: agent, parent_trace_id: parent };
  const step_index = step ?? undefined;
  const calls = isCalling ? [{ id: 'c', function: { name: 'mail' } }] : [];
  const fields = { step_index, turn_start_history_len: turn, history, history_meta: meta, tokens_used: index };
  const data = type === 'checkpoint' ? { ...run, ...fields, pending_tool_calls: calls } : run;
  return { type, data, ...(id !== null && { id: `${index}` }) };
}

/** Batches of events, each from one reporter. */
function batchesOf(threadId: string, all: readonly Report[]): { by: Reporter; events: object[] }[] {
  const batches: { by: Reporter; events: object[] }[] = [];
  let isOpen = false;
  for (const [index, report] of all.entries()) {
    const last = batches.at(-1);
    const event = eventOf(threadId, report, index);
    if (last && isOpen && last.by === report.by) last.events.push(event);
    else batches.push({ by: report.by, events: [event] });
    isOpen = !report.endsBatch;
  }
  return batches;
}

/** The response to each batch, and what is stored of the thread after it. */
async function play({ app, reporters }: Side, threadId: string, all: readonly Report[]): Promise<unknown[]> {
  const database = app.get(Database, { strict: false });
  const told: unknown[] = [];
  for (const { by, events } of batchesOf(threadId, all)) {
    const answer = await reporters[by].post(EVENTS, { events });
    told.push(answer.text, await storedOf(database, threadId));
  }
  return told;
}

async function storedOf(database: Database, threadId: string): Promise<Record<string, string[]>> {
  const [thread] = await database.read<{ pk: number }>('SELECT pk FROM thread WHERE id = $1', [threadId]);
  const stored: Record<string, string[]> = {};
  for (const table of thread ? TABLES : []) {
    const key = table === 'thread' ? 'pk' : 'thread_pk';
    const rows = await database.read(`SELECT * FROM ${table} WHERE ${key} = $1`, [thread!.pk]);
    stored[table] = rows.map(textOf).sort();
  }
  return stored;
}

function textOf({ pk: _pk, thread_pk: _threadPk, id: _id, change_no: _changeNo, ...row }: SqlRow): string {
  return JSON.stringify(row, (_, value) => (value === '' || value === null ? undefined : value));
}

let compared = 0;

/** The history carried over to a restarted agent: the first letters of its messages, and the number of its metadata entries. */
async function carriedAfter({ reporters }: Side, reported: readonly Partial<Report>[]): Promise<[string, number]> {
  const threadId = newThreadId();
  for (const [index, report] of [...reported, { type: 'thread_started' as const, trace: 't3' as const }].entries()) {
    await record(reporters.anyone, eventOf(threadId, { ...BLANK, ...report }, index));
  }
  const { history, history_meta } = await latestOf(reporters.anyone, threadId, { trace_id: 't3' });
  return [history.join(''), history_meta.length];
}

const BLANK: Report = {
  ...{ type: 'checkpoint', by: 'anyone', agent: 'a', trace: 't1', parent: null, step: null, turn: 0 },
  ...{ history: [], meta: [], isCalling: false, id: null, endsBatch: true },
};

describe('A run carries the same forward whether the server remembers those before it or not', () => {
  it.each<[string, Partial<Report>[], [string, number]]>([
    [
      'where the one before it only waited, with longer metadata',
      [
        { history: ['q', 'r'], meta: ['q', 'r'] },
        { type: 'thread_started', trace: 't2' },
        { trace: 't2', step: 0, meta: ['q', 'r', 's'], isCalling: true },
      ],
      ['qr', 2],
    ],
    [
      'where another agent has reported in it, and it ended with an empty step',
      [{ step: 0, history: ['q'] }, { step: 1, agent: 'b', history: ['q', 'r'] }, { step: 2 }],
      ['qr', 0],
    ],
    [
      'where a step was filled in below the highest one, which had no history',
      [{ step: 0, history: ['q'] }, { step: 2 }, { step: 1, history: ['q', 's'], meta: ['q'] }],
      ['qs', 1],
    ],
    [
      'where the step with its last history was reported again without one',
      [
        { step: 0, history: ['q'], meta: ['q'] },
        { step: 1, history: ['q', 'r'], meta: ['q', 'r'] },
        { step: 1, isCalling: true },
      ],
      ['q', 1],
    ],
  ])('%s', async (_, reported, carried) => {
    expect(await carriedAfter(remembering, reported)).toEqual(carried);
    expect(await carriedAfter(forgetful, reported)).toEqual(carried);
  });
});

describe('A server that keeps no thread in memory', () => {
  it(
    'stores the same as one that does',
    async () => {
      const sequences = fc.array(fc.array(reports, { minLength: 2, maxLength: 12 }), {
        minLength: 1,
        maxLength: AT_ONCE,
      });
      const compare = async (all: Report[]) => {
        const threadId = newThreadId();
        expect(await play(forgetful, threadId, all)).toEqual(await play(remembering, threadId, all));
        compared += 1;
      };
      const compareAll = async (each: Report[][]) => void (await Promise.all(each.map(compare)));
      await assertSearching(sequences, compareAll, { seed, ms: SEARCH_MS });
      console.info(`${compared} sequences`);
    },
    SEARCH_MS + 100_000,
  );
});
