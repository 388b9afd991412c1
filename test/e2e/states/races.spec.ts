import { newThreadId } from '../../factories/events.js';
import type { ApiClient } from '../../support/api-client.js';
import { testDialect } from '../../support/dialect.js';
import { ServerProcess } from '../../support/server-process.js';
import {
  b64,
  deleteStates,
  digestOf,
  putState,
  putWrites,
  stateIds,
  stateOf,
  statePath,
  valuesOf,
  writesOf,
  type StateRecord,
} from '../../support/states.js';
import { siblingHome } from '../../support/storage.js';
import { useServer } from '../../support/test-server.js';

const WRITERS = 32;

const first = useServer();
let sibling: ServerProcess | undefined;

/** SQLite belongs to one process, so the one server plays both parts. */
beforeAll(async () => {
  if (testDialect() !== 'postgres') return;
  const env = { WAYSTATION_HOME: await siblingHome(first.storage) };
  sibling = await ServerProcess.start(first.storage, { env });
});
afterAll(() => sibling?.stop());

const serverFor = (n: number): ApiClient => (n % 2 === 0 ? first.api : (sibling ?? first).api);

function all<T>(work: (n: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: WRITERS }, (_, n) => work(n)));
}

describe(`${WRITERS} writers at once, through two servers`, () => {
  it('of one checkpoint leave the whole one of one of them', async () => {
    const threadId = newThreadId();
    const answers = await all((n) =>
      putState(serverFor(n), threadId, 'c', { parent_id: `p${n}`, values: valuesOf({ own: n, shared: 'same' }) }),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(WRITERS - 1).fill(200), 201]);
    const state = await stateOf(first.api, threadId);
    const n = Number(state.parent_id!.slice(1));
    expect(state.values.own!.data).toBe(b64(`${n}`));
    expect(await stateOf(serverFor(1), threadId)).toEqual(state);
  });

  it('of checkpoints of one thread lose none, and name what another has just stored', async () => {
    const threadId = newThreadId();
    await putState(first.api, threadId, 'c', { values: valuesOf({ shared: 'same' }) });
    const named = { version: 1, type: 'json', digest: digestOf('"same"') };
    const answers = await all((n) =>
      putState(serverFor(n), threadId, `c${n}`, { values: { shared: named, ...valuesOf({ own: n }) } }),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(await stateIds(first.api, { thread_id: threadId })).toHaveLength(WRITERS + 1);
  });

  it('of one write leave the first, and of one with a negative number the last', async () => {
    const threadId = newThreadId();
    await all((n) => putWrites(serverFor(n), threadId, 'c', writesOf('t', [0, 'x', n], [-1, 'y', n])));
    await putState(first.api, threadId, 'c');
    const { writes } = await stateOf(serverFor(1), threadId);
    expect(writes.map(({ idx }) => idx)).toEqual([-1, 0]);
    await putWrites(serverFor(1), threadId, 'c', writesOf('t', [0, 'x', 'late'], [-1, 'y', 'late']));
    const after = await stateOf(first.api, threadId);
    expect(after.writes[0]!.data).toBe(b64('"late"'));
    expect(after.writes[1]!.data).toBe(writes[1]!.data);
  });
});

describe('Checkpoints that are deleted one by one', () => {
  it('leave each value that another names meanwhile, and no other', async () => {
    const threadId = newThreadId();
    const values = valuesOf(Object.fromEntries(Array.from({ length: WRITERS }, (_, n) => [`v${n}`, n])));
    await putState(first.api, threadId, 'c', { values });
    const named = (n: number) => ({ v: { version: 2, type: 'json', digest: digestOf(`${n}`) } });
    const [gone, ...answers] = await Promise.all([
      deleteStates(serverFor(1), threadId, [{ checkpoint_id: 'c' }]),
      ...Array.from({ length: WRITERS }, (_, n) => putState(serverFor(n), threadId, `d${n}`, { values: named(n) })),
    ]);
    expect(gone.status).toBe(204);
    for (const [n, { status }] of answers.entries()) {
      expect([201, 409]).toContain(status);
      const again = await putState(serverFor(n), threadId, `e${n}`, { values: named(n) });
      expect(again.status).toBe(status);
      if (status === 201) expect((await stateOf(first.api, threadId, `d${n}`)).values.v!.data).toBe(b64(`${n}`));
    }
  });
});

describe('Checkpoints that are deleted while others name their values and are deleted in turn', () => {
  it('leave all that a checkpoint still names', async () => {
    const threadId = newThreadId();
    const values = valuesOf(Object.fromEntries(Array.from({ length: WRITERS }, (_, n) => [`v${n}`, n])));
    await putState(first.api, threadId, 'c', { values });
    const put = (n: number, id: string) =>
      putState(serverFor(n), threadId, id, { values: { v: { version: 2, type: 'json', digest: digestOf(`${n}`) } } });
    await Promise.all([
      deleteStates(serverFor(1), threadId, [{ checkpoint_id: 'c' }]),
      ...Array.from({ length: WRITERS }, async (_, n) => {
        await put(n, `d${n}`);
        const gone = deleteStates(serverFor(n + 1), threadId, [{ checkpoint_id: `d${n}` }]);
        await Promise.all([gone, put(n, `e${n}`)]);
      }),
    ]);
    for (const id of await stateIds(first.api, { thread_id: threadId })) {
      const { v } = (await stateOf(first.api, threadId, id)).values;
      expect(v!.data).toBe(b64(id.slice(1)));
    }
  });
});

describe('A reader', () => {
  it('beside a delete gets the whole of it, or hears that it is gone or changed', async () => {
    const threadId = newThreadId();
    const values = valuesOf(Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`c${n}`, n])));
    const list = `/v1/runners/state?thread_id=${encodeURIComponent(threadId)}`;
    for (let round = 0; round < 5; round += 1) {
      await putState(first.api, threadId, 'c', { values });
      const reads = Array.from({ length: 12 }, (_, n) => serverFor(n).get(n % 3 === 0 ? list : statePath(threadId)));
      const [gone, ...answers] = await Promise.all([first.api.delete(statePath(threadId)), ...reads]);
      expect(gone.status).toBe(204);
      for (const answer of answers) {
        expect([200, 404, 503]).toContain(answer.status);
        if (answer.status === 503) {
          expect([answer.json().code, answer.headers['retry-after']]).toEqual(['state_changed', '1']);
        }
      }
    }
  });

  it('beside one that replaces it never gets parts of two', async () => {
    const threadId = newThreadId();
    const fill = (letter: string) => b64(Buffer.alloc(1_200_000, letter));
    const [a, b] = [fill('a'), fill('b')];
    const put = async (type: string, data: string) => {
      await putState(first.api, threadId, 'c', { parent_id: type, checkpoint: { type, data } });
      await putWrites(first.api, threadId, 'c', { task_id: 't', writes: [{ idx: -1, channel: type, type, data }] });
    };
    const isWhole = (type: string, data: string) => data === (type === 'a' ? a : b);
    await put('a', a);
    let isWriting = true;
    const writing = (async () => {
      for (let round = 0; round < 4; round += 1) await (round % 2 === 0 ? put('b', b) : put('a', a));
      isWriting = false;
    })();
    const read = async (n: number) => {
      while (isWriting) {
        // The server cuts the connection of a response that has begun.
        const answer = await serverFor(n)
          .get(statePath(threadId))
          .catch(() => null);
        if (answer?.status !== 200) continue;
        const { parent_id, checkpoint, writes } = answer.json<StateRecord>();
        expect([parent_id, isWhole(checkpoint.type, checkpoint.data)]).toEqual([checkpoint.type, true]);
        for (const { channel, type, data } of writes) expect([channel, isWhole(type, data)]).toEqual([type, true]);
      }
    };
    await Promise.all([writing, read(0), read(1), read(2)]);
    const { checkpoint } = await stateOf(first.api, threadId);
    expect(isWhole(checkpoint.type, checkpoint.data)).toBe(true);
  });
});
