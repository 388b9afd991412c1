import { newThreadId } from '../../factories/events.js';
import type { ApiClient } from '../../support/api-client.js';
import { testDialect } from '../../support/dialect.js';
import { ServerProcess } from '../../support/server-process.js';
import { b64, digestOf, putState, putWrites, stateIds, stateOf, valuesOf, writesOf } from '../../support/states.js';
import { siblingHome } from '../../support/storage.js';
import { useServer } from '../../support/test-server.js';

const WRITERS = 32;

const first = useServer();
let sibling: ServerProcess | undefined;

/** SQLite belongs to one process: there the one server is also the other. */
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
