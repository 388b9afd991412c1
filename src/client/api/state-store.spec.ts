import { type StateSearch, StateStore } from './state-store.js';
import type { StatesApi } from './states-api.js';

const deleted: unknown[] = [];
const found = [
  { thread_id: 'a', ns: '', checkpoint_id: '3' },
  { thread_id: 'b', ns: 'x', checkpoint_id: '2' },
  { thread_id: 'a', ns: '', checkpoint_id: '1' },
];
async function* outlines() {
  yield* found;
}
const deleteSome = async (threadId: string, names: object[]) => void deleted.push([threadId, names]);
const store = new StateStore({ eachOutline: outlines, deleteSome } as unknown as StatesApi, 'agent');

beforeEach(() => void deleted.splice(0));

it.each<StateSearch>([
  {},
  { ns: 'x', before: '9' },
  { thread_id: undefined, thread_prefix: '' },
  { filter: {} },
  { filter: { run_id: undefined } },
  { thread_id: 'a', filter: { run_id: undefined, source: 'loop' } },
])('deletes nothing where the search may find more than it names: %j', async (search) => {
  await expect(store.deleteFound(search)).rejects.toThrow(TypeError);
  expect(deleted).toEqual([]);
});

it.each<StateSearch>([{ thread_id: 'a' }, { thread_prefix: 'a' }, { filter: { run_id: null } }])(
  'deletes what it finds, thread by thread: %j',
  async (search) => {
    await store.deleteFound(search);
    const inA = ['3', '1'].map((checkpoint_id) => ({ ns: '', checkpoint_id }));
    expect(deleted).toEqual([
      ['a', inA],
      ['b', [{ ns: 'x', checkpoint_id: '2' }]],
    ]);
  },
);
