import type { ApiRequests } from './api-requests.js';
import { RunnersApi } from './runners-api.js';

describe('Watching a run whose answers have no ETag', () => {
  let asked = 0;
  const answer = async () => {
    asked += 1;
    return { status: 200, headers: new Headers(), text: `{"step_index":${asked}}` };
  };
  const runners = new RunnersApi({ answer } as unknown as ApiRequests);
  beforeEach(() => void (asked = 0));

  it('pauses before it asks again, until the signal ends that', async () => {
    const end = new AbortController();
    const watched = runners.watch('t', {}, { signal: end.signal });
    await watched.next();
    const second = watched.next();
    end.abort(new Error('no longer wanted'));
    await expect(second).rejects.toThrow('no longer wanted');
    expect(asked).toBe(1);
  });

  it('asks again after the pause', async () => {
    const watched = runners.watch('t');
    expect([(await watched.next()).value, (await watched.next()).value]).toEqual([
      { step_index: 1 },
      { step_index: 2 },
    ]);
  });
});

it.each([
  [['a', 'b'], true],
  [['a', undefined], false],
  [['a', null], false],
])('sends reports with the ids %j again: %s', async (ids, repeatable) => {
  const calls: unknown[] = [];
  const send = async (...call: unknown[]) => void calls.push(call[2]);
  const events = ids.map((id) => ({ type: 'checkpoint', id, data: {} }));
  await new RunnersApi({ send } as unknown as ApiRequests).report(events as never);
  expect(calls).toMatchObject([{ isRepeatable: repeatable }]);
});
