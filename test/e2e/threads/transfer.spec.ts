import { hash, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { checkpoint, completed, failed, newThreadId } from '../../factories/events.js';
import { scenarios, type Scenario } from '../../factories/scenarios.js';
import { newRun, waiting, working } from '../../factories/waiting.js';
import { FakeAgent } from '../../fakes/fake-agent.js';
import type { Answer, ApiClient } from '../../support/api-client.js';
import { approvalsOf, decided } from '../../support/approvals.js';
import { claimed, effectsPath } from '../../support/effects.js';
import { EventStream } from '../../support/event-stream.js';
import { eventText, type ModelEvent } from '../../support/model/model-event.js';
import { problemOf } from '../../support/problem.js';
import { readingsOf } from '../../support/readings.js';
import { EVENTS, latestOf, latestPath, ok, record, threadPath } from '../../support/recording.js';
import { assertSearching, searchMs } from '../../support/search-seconds.js';
import { ServerProcess } from '../../support/server-process.js';
import { freshStorage, type TestStorage } from '../../support/storage.js';
import { contentsOf } from '../../support/table-contents.js';
import { useSharedServer } from '../../support/shared-server.js';
import { fillStorage } from '../../support/varied-data.js';

const SEARCH_MS = searchMs(2);
const seed = Number(process.env.WAYSTATION_TEST_SEED ?? 20_261_122);
const LINES = { headers: { 'content-type': 'application/x-ndjson' } };

const server = useSharedServer();
let other: { storage: TestStorage; process: ServerProcess };

beforeAll(async () => {
  // The other kind of database when the tests run on PostgreSQL.
  const storage = await freshStorage('sqlite');
  other = { storage, process: await ServerProcess.start(storage) };
});
afterAll(async () => {
  await other?.process.stop();
  await other?.storage.dispose();
});

function exportOf(api: ApiClient, threadId: string): Promise<Answer> {
  return api.get(`/v1/threads/${encodeURIComponent(threadId)}/export`);
}

function importInto(api: ApiClient, body: string | Buffer, query = ''): Promise<Answer> {
  return api.post(`/v1/threads/import${query}`, body, LINES);
}

/** Copies the thread into the other database. */
async function move(threadId: string): Promise<string> {
  const { text } = ok(await exportOf(server.api, threadId));
  const imported = await importInto(other.process.api, text);
  if (imported.status !== 201) throw new Error(`${imported.status} ${imported.text}`);
  return text;
}

/** The rows of an export: each database sorts texts differently, and each line's checksum depends on the lines before. */
function rowsIn(text: string): string[] {
  return text
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/,"check":"[^"]*"\}$/, ''))
    .sort();
}

describe('A thread that was exported and imported into another database, and back', () => {
  it('reads back the same, byte for byte, with approvals, decisions and everything odd', async () => {
    const run = newRun('decided');
    await record(server.api, working(run, 0), waiting(run, 1));
    await decided(server.api, 'approve', run, 1, { decided_by: 'Ada', reason: 'it\'s "fine"' });
    await record(server.api, waiting(run, 2), waiting(run, 2, { tokens_used: 9 }));
    await record(server.api, failed(run.threadId, { trace_id: run.traceId, error: { deep: [1e300, 'x'] } }));
    for (const threadId of [...(await fillStorage(server.api)), run.threadId]) {
      const before = await readingsOf(server.api, threadId);
      const text = await move(threadId);
      expect(await readingsOf(other.process.api, threadId)).toEqual(before);
      expect(rowsIn((await exportOf(other.process.api, threadId)).text)).toEqual(rowsIn(text));
    }
  });

  it('reads back the same after retries and a cancellation', async () => {
    const agent = await FakeAgent.start(`agent-${randomUUID()}`, () => undefined);
    try {
      agent.api = server.api;
      await agent.beat();
      const run = newRun('retried');
      const data = { trace_id: run.traceId, agent_id: agent.name };
      const order = (what: 'retry' | 'cancel') =>
        server.api.post(threadPath(run.threadId, `/runs/${run.traceId}/${what}`));
      await record(server.api, checkpoint(run.threadId, 0, data), failed(run.threadId, data));
      expect((await order('retry')).status).toBe(202);
      await record(server.api, failed(run.threadId, data));
      expect((await order('retry')).status).toBe(202);
      expect((await order('cancel')).status).toBe(200);
      const before = await readingsOf(server.api, run.threadId);
      const text = await move(run.threadId);
      expect(await readingsOf(other.process.api, run.threadId)).toEqual(before);
      expect(rowsIn((await exportOf(other.process.api, run.threadId)).text)).toEqual(rowsIn(text));
    } finally {
      await agent.close();
    }
  });

  it(
    'reads back the same and goes on the same, whatever was reported',
    async () => {
      const play = async ({ batches }: Scenario) => {
        const threadId = newThreadId('model');
        const half = Math.ceil(batches.length / 2);
        for (const batch of batches.slice(0, half)) await post(server.api, threadId, batch);
        if ((await server.api.get(threadPath(threadId))).status === 404) return;
        await move(threadId);
        const before = await readingsOf(server.api, threadId);
        expect(await readingsOf(other.process.api, threadId)).toEqual(before);
        expect((await server.api.delete(threadPath(threadId))).status).toBe(204);
        const back = await importInto(server.api, (await exportOf(other.process.api, threadId)).text);
        expect(back.status).toBe(201);
        expect(await readingsOf(server.api, threadId)).toEqual(before);
        for (const batch of batches.slice(half)) {
          for (const api of [server.api, other.process.api]) await post(api, threadId, batch);
        }
        expect(await timeless(other.process.api, threadId)).toEqual(await timeless(server.api, threadId));
      };
      await assertSearching(scenarios, play, { seed, ms: SEARCH_MS });
    },
    SEARCH_MS + 100_000,
  );

  it('is followed live, decided and bound to agents as before', async () => {
    const run = newRun('live');
    const token = async (api: ApiClient, agent: string) =>
      (await api.post('/v1/tokens', { scope: 'runner', agent_ids: [agent] })).json<{ token: string }>().token;
    const owner = server.api.as(await token(server.api, 'owner'));
    await record(owner, working(run, 0, { agent_id: 'owner' }), waiting(run, 1, { agent_id: 'owner' }));
    await move(run.threadId);
    const { api } = other.process;
    const stream = await EventStream.open(api, threadPath(run.threadId, '/stream'));
    await decided(api, 'reject', run, 1);
    await record(api.as(await token(api, 'owner')), working(run, 2, { agent_id: 'owner' }));
    await stream.until('the next step', ({ seen }) => seen.some(({ data }) => data.includes('"step_index":2')));
    stream.close();
    expect((await latestOf(api, run.threadId)).step_index).toBe(2);
    problemOf(await api.as(await token(api, 'stranger')).get(latestPath(run.threadId)), 404);
    expect((await api.delete(threadPath(run.threadId))).status).toBe(204);
  });

  it('may get another id, beside itself', async () => {
    const run = newRun('original');
    await record(server.api, working(run, 0), waiting(run, 1));
    const { text } = ok(await exportOf(server.api, run.threadId));
    const copy = `${run.threadId} kopie é`;
    const answer = await importInto(server.api, text, `?as=${encodeURIComponent(copy)}`);
    expect([answer.status, answer.json()]).toEqual([201, { thread_id: copy, runs: 1, checkpoints: 2, messages: 2 }]);
    expect(await latestOf(server.api, copy)).toEqual({
      ...(await latestOf(server.api, run.threadId)),
      thread_id: copy,
    });
    const [approval] = await approvalsOf(server.api, copy, { status: 'all' });
    expect(approval).toMatchObject({ thread_id: copy, status: 'pending' });
    const told = await EventStream.open(server.api, threadPath(copy, '/stream'), '0');
    await told.until('the approval', ({ seen }) => seen.some(({ event }) => event === 'approval'));
    const named = told.seen.map(({ data }) => (JSON.parse(data) as { thread_id?: string }).thread_id ?? copy);
    expect(new Set(named)).toEqual(new Set([copy]));
    told.close();
    problemOf(await importInto(server.api, text, '?as=.'), 400);
  });
});

describe('An import', () => {
  let text: string;
  let threadId: string;
  beforeAll(async () => {
    threadId = newThreadId('damaged');
    await record(server.api, ...Array.from({ length: 5 }, (_, step) => checkpoint(threadId, step)));
    text = (await exportOf(server.api, threadId)).text;
  });

  /** An import into the other database that must be refused. */
  async function refused(body: string | Buffer, detail: RegExp | string): Promise<void> {
    const problem = problemOf(await importInto(other.process.api, body), 400);
    expect(problem).toMatchObject({ code: 'invalid_export', detail: expect.stringMatching(detail) as unknown });
  }

  /** Checks that nothing refused is left over. */
  async function leavingNothing(refusals: () => Promise<unknown>): Promise<void> {
    // The time of a token's last use is written some time after it.
    const contents = async () => ({ ...(await contentsOf(other.storage)), access_token: null });
    const before = await contents();
    await refusals();
    expect(await contents()).toEqual(before);
  }

  it('refuses a thread that is there already, and leaves it as it is', async () => {
    const before = await readingsOf(server.api, threadId);
    expect(problemOf(await importInto(server.api, text), 409).code).toBe('thread_exists');
    expect(await readingsOf(server.api, threadId)).toEqual(before);
  });

  it('takes one of several at the same time', async () => {
    const own = newThreadId('race');
    await record(server.api, checkpoint(own, 0), checkpoint(own, 1));
    const copy = (await exportOf(server.api, own)).text;
    const answers = await Promise.all([1, 2].map(() => importInto(other.process.api, copy)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(await readingsOf(other.process.api, own)).toEqual(await readingsOf(server.api, own));
  });

  it('takes compressed bodies', async () => {
    const options = { headers: { ...LINES.headers, 'content-encoding': 'gzip' } };
    const answer = await server.api.post(`/v1/threads/import?as=${newThreadId('gz')}`, gzipSync(text), options);
    expect(answer.status).toBe(201);
    const cut = gzipSync(text).subarray(0, 200);
    problemOf(await server.api.post(`/v1/threads/import?as=${newThreadId('gz')}`, cut, options), 400);
  });

  it('names the line that was changed, lost, doubled or cut, wherever it is, and leaves nothing', async () => {
    const lines = text.trimEnd().split('\n');
    const place = fc.nat(text.length - 2);
    const change = async (at: number, kind: number) => {
      const line = text.slice(0, at).split('\n').length;
      const changed = text[at] === 'x' ? 'y' : 'x';
      if (kind === 0)
        await refused(text.slice(0, at) + changed + text.slice(at + 1), new RegExp(`^Line (${line}|${line + 1}): `));
      if (kind === 1) await refused(text.slice(0, at), /^Line \d+: /);
      if (kind === 2) await refused([...lines.slice(0, line - 1), ...lines.slice(line)].join('\n'), `^Line ${line}: `);
      if (kind === 3)
        await refused([...lines.slice(0, line), ...lines.slice(line - 1)].join('\n'), `^Line ${line + 1}: `);
    };
    await leavingNothing(() => fc.assert(fc.asyncProperty(place, fc.nat(3), change), { seed, numRuns: 24 }));
  });

  it('refuses what is no export, and one of a later format', async () => {
    await leavingNothing(async () => {
      await refused('', 'empty');
      await refused('{"a":1}\n', 'not an export');
      await refused('[', 'not JSON');
      await refused(Buffer.from([0xff, 0xfe, 0x0a]), 'UTF-8');
      await refused('{"waystation_export":2,"version":"9.0.0"}\n', 'format 2.* 9\\.0\\.0');
    });
    problemOf(await other.process.api.post('/v1/threads/import', text), 415);
  });
});

describe('A forged export, whose checksums are right', () => {
  // prettier-ignore
  const nasty = ['', 'x', '[', '{"a":', '{}', '[1]', 'null', '1-', '5-2', '0-9999999999', '9'.repeat(400), '\ud800', '\0'];
  const value = fc.constantFrom<unknown>(...nasty, null, true, -1, 2 ** 31, 2 ** 53, 1.5, {}, []);

  it('is refused, or read without an internal error', async () => {
    const run = newRun('forged');
    await record(
      server.api,
      working(run, 0),
      waiting(run, 1),
      waiting(run, 1, { tokens_used: 5 }),
      completed(run.threadId),
    );
    await claimed(server.api, run.threadId, { trace_id: run.traceId });
    await server.api.post(`/v1/runners/threads/${run.threadId}/runs/${run.traceId}/lease`, { holder: 'a' });
    const lines = rowsIn((await exportOf(server.api, run.threadId)).text);
    const rows = lines.filter((row) => row !== '' && !row.startsWith('{"end"'));
    const forge = async (at: number, column: number | string, wrong: unknown) => {
      const id = newThreadId('forged');
      const answer = await importInto(server.api, forged(rows, at, column, wrong), `?as=${id}`);
      expect([201, 400]).toContain(answer.status);
      if (answer.status === 400) return;
      const paths = [threadPath(id), threadPath(id, '/checkpoints'), threadPath(id, '/checkpoints?history=new')];
      for (const path of [
        ...paths,
        latestPath(id),
        latestPath(id, { resume: 'safe' }),
        effectsPath(id),
        `/approvals?status=all&thread_id=${id}`,
        `/threads?q=${id}`,
      ]) {
        expect([path, (await server.api.get(path)).status]).not.toEqual([path, 500]);
      }
      const reported = await server.api.post(EVENTS, { events: [working({ ...run, threadId: id }, 3), completed(id)] });
      expect(reported.status).not.toBe(500);
    };
    await fc.assert(fc.asyncProperty(fc.nat(999), fc.nat(999), value, forge), { seed, numRuns: 60 });
    for (const wrong of nasty) await forge(placeOf(rows, 'run'), 'retry', wrong);
    for (const [table, column, wrong] of UNREADABLE) {
      const body = forged(rows, placeOf(rows, table), column, wrong);
      const answer = await importInto(server.api, body, `?as=${newThreadId('forged')}`);
      expect([table, column, wrong, answer.status]).toEqual([table, column, wrong, 400]);
    }
    const first = rows[0]!;
    const twice = await importInto(
      server.api,
      forged([...rows, first], 0, 'none', undefined),
      `?as=${newThreadId('forged')}`,
    );
    expect([first, twice.status]).toEqual([first, 400]);
  });
});

/** What no reader could show, or no report continue. */
const UNREADABLE: readonly (readonly [table: string, column: string, wrong: unknown])[] = [
  ['thread', 'updated_at', 9e15],
  ['approval', 'created_at', 9e15],
  ['effect', 'started_at', 9e15],
  ['run', 'retry', '{"atMs":9000000000000000,"extraAttempts":0,"pausedMs":0,"isOpen":false}'],
  ['run', 'mark', '{"status":"completed"}'],
  ['run', 'ending', '{"occurredAtMs":null,"queuedAtMs":5}'],
  ['checkpoint', 'pending_tool_calls', '5'],
  ['run_lease', 'began_by', '"x"'],
  ['approval', 'decisions', '[{"edited_args":"oops"}]'],
  ['approval', 'tool_calls', '{"a":5}'],
  ['approval', 'tool_calls', '{"calls":[{}]}'],
  ['approval', 'tool_calls', ' [1]'],
];

function placeOf(rows: readonly string[], table: string): number {
  return rows.findIndex((row) => row.startsWith(`{"${table}"`));
}

/** The export of these rows with another value in one column, and valid checksums. */
function forged(rows: readonly string[], at: number, column: number | string, wrong: unknown): string {
  const values = rows.map((row) => JSON.parse(`${row}}`) as Row);
  const row = Object.values(values[at % values.length]!)[0]!;
  // Inconsistent row numbers are the importer's responsibility.
  const names = Object.keys(row).filter((one) => typeof row[one] !== 'number');
  const name = typeof column === 'string' ? column : names[column % names.length]!;
  row[name] = wrong;
  const inOrder = [...values].sort((a, b) => Number('thread' in b) - Number('thread' in a));
  const lines = [{ waystation_export: 1, version: 'forged' }, ...inOrder, { end: { rows: values.length } }];
  let check = '';
  return lines
    .map((line) => {
      const text = JSON.stringify(line).slice(0, -1);
      check = hash('sha256', check + text, 'base64url').slice(0, 22);
      return `${text},"check":"${check}"}`;
    })
    .join('\n');
}

type Row = Record<string, Record<string, unknown>>;

describe('An export', () => {
  it('of an unknown thread is a 404', async () => {
    problemOf(await exportOf(server.api, newThreadId('none')), 404);
  });

  it('is open to readers, an import is not', async () => {
    const threadId = newThreadId('reader');
    await record(server.api, checkpoint(threadId, 0));
    const { token } = (await server.api.post('/v1/tokens', { scope: 'reader' })).json<{ token: string }>();
    const reader = server.api.as(token);
    const { text } = ok(await exportOf(reader, threadId));
    problemOf(await importInto(reader, text, '?as=other'), 403);
  });
});

async function post(api: ApiClient, threadId: string, batch: readonly ModelEvent[]): Promise<void> {
  const texts = batch.map((event) => eventText(event).replace('"thread_id":""', `"thread_id":"${threadId}"`));
  ok(await api.post(EVENTS, `{"events":[${texts.join(',')}]}`));
}

async function timeless(api: ApiClient, threadId: string): Promise<string> {
  const readings = await readingsOf(api, threadId);
  return JSON.stringify(readings).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z|\\"duration_ms\\":\d+/g, 'TIME');
}
