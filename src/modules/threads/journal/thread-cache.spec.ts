import { NO_LEASES } from '../leases/thread-leases.js';
import { LongText } from '../../../common/long-text.js';
import type { Checkpoint } from '../entities/checkpoint.entity.js';
import type { Run } from '../entities/run.entity.js';
import type { Thread } from '../entities/thread.entity.js';
import { ThreadCache } from './thread-cache.js';
import { NO_TAIL, type ThreadState } from './thread-state.js';

const MEGABYTE = 1024 * 1024;

/** A thread with one run that was reported so. */
function stateOf(id: string, latest: Partial<Checkpoint>, run: Partial<Run> = {}): ThreadState {
  const reported = {
    row: run as Run,
    mark: null,
    latest: latest as Checkpoint,
    highestStepEver: 0,
    history: NO_TAIL,
    meta: NO_TAIL,
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
