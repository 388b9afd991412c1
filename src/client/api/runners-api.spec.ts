import type { ApiRequests } from './api-requests.js';
import { RunnersApi } from './runners-api.js';

describe('Watching a run whose answers have no ETag', () => {
  let asked = 0;
  const responseTo = async () => {
    asked += 1;
    return { status: 200, headers: new Headers(), text: `{"step_index":${asked}}` };
  };
  const runners = new RunnersApi({ responseTo } as unknown as ApiRequests);
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

it.each<[string, (n: number) => [status: number, etag: string | null]]>([
  ['no ETag', () => [200, null]],
  ['the same again', () => [200, '"1"']],
  ['another ETag each time', (n) => [200, `"${n}"`]],
  ['unchanged at once', (n) => [n === 1 ? 200 : 304, '"1"']],
])('pauses where the server cannot hold a request: %s', async (_, answerTo) => {
  let asked = 0;
  const responseTo = async () => {
    asked += 1;
    const [status, etag] = answerTo(asked);
    return { status, headers: new Headers(etag === null ? {} : { etag }), text: '{"status":"in_progress"}' };
  };
  const watched = new RunnersApi({ responseTo } as unknown as ApiRequests).watch(
    't',
    {},
    { signal: AbortSignal.timeout(500) },
  );
  expect((await watched.next()).value).toEqual({ status: 'in_progress' });
  await expect(watched.next()).rejects.toThrow('timeout');
  expect(asked).toBeLessThan(8);
});

it.each([
  [['a', 'b'], true],
  [['a', undefined], false],
  [['a', null], false],
])('sends reports with the ids %j again: %s', async (ids, repeatable) => {
  const calls: unknown[] = [];
  const send = async (...call: unknown[]) => void calls.push(call[2]);
  const events = ids.map((id) => ({ type: 'checkpoint', id, data: {} }));
  await new RunnersApi({ send } as unknown as ApiRequests).report(events);
  expect(calls).toMatchObject([{ isRepeatable: repeatable }]);
});
