import { NO_LEASES } from '../../leases/thread-leases.js';
import { TextList } from '../../../../common/text-list.js';
import { LongText } from '../../../../common/long-text.js';
import type { Checkpoint } from '../../entities/checkpoint.entity.js';
import type { Run } from '../../entities/run.entity.js';
import type { Thread } from '../../entities/thread.entity.js';
import { ThreadCache } from './thread-cache.js';
import { NO_LIST, type RunList, type ThreadState } from '../rules/thread-state.js';

const MEGABYTE = 1024 * 1024;

function stateOf(
  id: string,
  latest: Partial<Checkpoint>,
  run: Partial<Run> = {},
  history: RunList = NO_LIST,
): ThreadState {
  const reported = {
    row: run as Run,
    mark: null,
    latest: latest as Checkpoint,
    highestStepEver: 0,
    lastSaid: null,
    history,
    meta: NO_LIST,
  };
  return { row: { id } as Thread, agents: new Map(), runs: new Map([[1, reported]]), leases: NO_LEASES, seen: null };
}

const LONG = 'x'.repeat(MEGABYTE);
const BODY = Buffer.alloc(MEGABYTE);

describe('The threads in memory are bounded, whatever was reported at length', () => {
  it.each([
    ['unknown members', () => stateOf('', { extra: LONG })],
    [
      'unknown members, still in the body that brought them',
      () => stateOf('', { extra: LongText.inParts([BODY.subarray(7, 9)]) }),
    ],
    ['tool calls', () => stateOf('', { pending_tool_calls: LONG })],
    ['an error', () => stateOf('', { error: LONG })],
    ["a run's error", () => stateOf('', {}, { error: LONG })],
  ])('%s', (_, make) => {
    const cache = new ThreadCache(4.5 * MEGABYTE);
    for (let n = 0; n < 10; n++) {
      const state = make();
      state.row.id = `t${n}`;
      cache.put(state);
    }
    const kept = Array.from({ length: 10 }, (__, n) => cache.peek(`t${n}`) !== null);
    expect(kept).toEqual([...Array<boolean>(6).fill(false), ...Array<boolean>(4).fill(true)]);
  });
});

describe('A thread for which memory has no room', () => {
  function threadOf(id: string, bytes: number): ThreadState {
    const list = TextList.of(Buffer.alloc(bytes), [0], [bytes]);
    return stateOf(id, {}, {}, { list, count: 1, row: null, ranges: [[0, 0]] });
  }

  function kept(cache: ThreadCache, ids: readonly string[]): (boolean | null)[] {
    return ids.map((id) => {
      const state = cache.peek(id);
      return state && state.runs.get(1)!.history.list !== null;
    });
  }

  it('loses the elements of its lists first, the longest untouched before others', () => {
    const cache = new ThreadCache(4.5 * MEGABYTE);
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const id of ids.slice(0, 4)) cache.put(threadOf(id, MEGABYTE));
    cache.get('a');
    for (const id of ids.slice(4)) cache.put(threadOf(id, MEGABYTE));
    expect(kept(cache, ids)).toEqual([true, false, false, true, true, true]);
    expect(cache.get('b')!.runs.get(1)!.history).toEqual({ list: null, count: 1, row: null, ranges: [[0, 0]] });
  });

  it('is forgotten where too many have lost theirs', () => {
    const cache = new ThreadCache(MEGABYTE);
    const ids = Array.from({ length: 200 }, (_, n) => `t${n}`);
    for (const id of ids) cache.put(threadOf(id, MEGABYTE / 3));
    const all = kept(cache, ids);
    expect([all[0], all[150], all[198], all[199]]).toEqual([null, false, true, true]);
  });

  it('is kept without its elements if they alone are too large', () => {
    const cache = new ThreadCache(MEGABYTE);
    cache.put(threadOf('a', 2 * MEGABYTE));
    expect(kept(cache, ['a'])).toEqual([false]);
  });
});
