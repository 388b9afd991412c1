import { jest } from '@jest/globals';
import { EVENTS_TOKEN, EventsServer } from '../../test/fakes/events-server.js';
import { freePort } from '../../test/support/free-port.js';
import { waitFor } from '../../test/support/wait.js';
import { WaystationClient, type RejectedReport, type WaystationClientOptions } from './waystation-client.js';

let server: EventsServer;
let apiUrl: string;
const clients: WaystationClient[] = [];
const rejected: RejectedReport[] = [];

function client(options: Partial<WaystationClientOptions> = {}): WaystationClient {
  const onRejected = (report: RejectedReport) => rejected.push(report);
  const made = new WaystationClient({
    apiUrl,
    token: EVENTS_TOKEN,
    agentId: 'support',
    onRejected,
    onTrouble: () => undefined,
    ...options,
  });
  clients.push(made);
  return made;
}

beforeEach(async () => {
  server = await EventsServer.start();
  apiUrl = server.url;
  rejected.length = 0;
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((one) => one.close(0)));
  await server.stop();
});

const run = { thread_id: 't', trace_id: 'r' };
const steps = () => server.events.map(({ data }) => data.step_index);

describe('The client', () => {
  it('delivers in order, in batches, one request at a time', async () => {
    const one = client();
    await Promise.all(
      Array.from({ length: 500 }, (_, step) => one.checkpoint({ ...run, step_index: step, history: [] })),
    );
    expect(await one.flush()).toBe(true);
    expect(steps()).toEqual(Array.from({ length: 500 }, (_, step) => step));
    expect(server.mostConcurrent).toBe(1);
    expect(server.batches.length).toBeLessThan(50);
  });

  it('speaks for its agent and makes up a trace where none is given', async () => {
    const one = client();
    const ids = await one.start({ thread_id: 't', model: 'm' });
    await one.complete({ ...ids, tokens_used: 3 });
    await one.flush();
    expect(ids.trace_id).not.toBe('');
    expect(server.events.map(({ type, data }) => [type, data.agent_id, data.trace_id])).toEqual([
      ['thread_started', 'support', ids.trace_id],
      ['thread_completed', 'support', ids.trace_id],
    ]);
  });

  it('takes a snapshot: what is added to the history later does not matter', async () => {
    const one = client();
    const history = ['a'];
    const done = one.checkpoint({ ...run, history });
    history.push('b');
    await done;
    await one.flush();
    expect(server.events[0]?.data.history).toEqual(['a']);
  });

  it('sends the very same events again until they are taken', async () => {
    const seen: string[] = [];
    server.judge = (events) => {
      seen.push(events.map(({ id }) => id).join());
      return seen.length < 3 ? { status: 503, body: { code: 'queue_full' } } : undefined;
    };
    const one = client();
    await one.complete(run);
    expect(await one.flush()).toBe(true);
    expect(seen).toHaveLength(3);
    expect(new Set(seen).size).toBe(1);
  });

  it('reports and drops what is refused for good, and delivers the rest', async () => {
    const bad = { index: 1, code: 'invalid_event', detail: 'data.status: expected a string' };
    server.answerNext(503);
    server.answerNext(207, { saved: 2, rejected: [bad] });
    const one = client();
    for (const step of [0, 1, 2]) await one.checkpoint({ ...run, step_index: step, history: [] });
    expect(await one.flush()).toBe(true);
    expect(rejected.map(({ code, detail }) => [code, detail])).toEqual([[bad.code, bad.detail]]);
  });

  it('finds the one event for which a whole batch is refused', async () => {
    server.judge = (events) =>
      events.some(({ data }) => data.step_index === 5)
        ? { status: 413, body: { code: 'too_large', detail: 'too large' } }
        : undefined;
    server.answerNext(503);
    const one = client();
    for (let step = 0; step < 12; step++) await one.checkpoint({ ...run, step_index: step, history: [] });
    expect(await one.flush()).toBe(true);
    expect(steps()).toEqual([0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11]);
    expect(rejected).toHaveLength(1);
  });

  it('goes on where a listener of the program throws', async () => {
    const printed = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    const fails = () => {
      throw new Error('no such table');
    };
    server.answerNext(503);
    server.answerNext(207, { saved: 0, rejected: [{ index: 0, code: 'invalid_event', detail: 'No.' }] });
    const one = client({ onRejected: fails, onTrouble: fails, onRecovered: fails });
    await one.checkpoint({ ...run, step_index: 0, history: [] });
    expect(await one.flush()).toBe(true);
    await one.checkpoint({ ...run, step_index: 1, history: [] });
    expect(await one.flush()).toBe(true);
    const said = printed.mock.calls.map(([text]) => String(text));
    printed.mockRestore();
    expect(said.filter((text) => text.includes('a listener failed: Error: no such table'))).toHaveLength(3);
  });

  it('gets past a proxy that lets no large body through, and gives up only what is too large alone', async () => {
    const limit = 5_000;
    server.judge = (events) =>
      JSON.stringify(events).length > limit
        ? { status: 413, body: '<html>Request Entity Too Large</html>' }
        : undefined;
    server.answerNext(503);
    const one = client();
    for (let step = 0; step < 12; step++) {
      await one.checkpoint({ ...run, step_index: step, history: ['x'.repeat(step === 5 ? limit : 1_000)] });
    }
    expect(await one.flush()).toBe(true);
    expect(steps()).toEqual([0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11]);
    expect(rejected.map(({ code }) => code)).toEqual(['too_large_for_proxy']);
  });

  it('sends less at once when a batch gets no answer in time', async () => {
    server.judge = (events) => (events.length > 2 ? 'silence' : undefined);
    server.answerNext(503);
    const one = client();
    for (let step = 0; step < 4; step++) await one.checkpoint({ ...run, step_index: step, history: [] });
    await waitFor('delivery', () => server.events.length === 4);
    expect(steps()).toEqual([0, 1, 2, 3]);
  });

  it('delivers what it could not while the API was away, soon after it is back', async () => {
    await server.stop();
    const port = await freePort();
    const told: string[] = [];
    const one = client({
      apiUrl: `http://127.0.0.1:${port}`,
      onTrouble: (reason) => told.push(reason),
      onRecovered: () => told.push('recovered'),
    });
    for (let step = 0; step < 10; step++) await one.checkpoint({ ...run, step_index: step, history: [] });
    const latest = one.latest('t').catch(() => null);
    await waitFor('the trouble to be told', () => told.length > 0);
    expect(await one.flush(500)).toBe(false);
    server = await EventsServer.start(port);
    await waitFor('delivery', () => server.events.length === 10, 15_000);
    await latest;
    await waitFor('the recovery to be told', () => told.length > 1);
    expect(told).toEqual([`http://127.0.0.1:${port} does not answer`, 'recovered']);
  });

  it('says soon that an address is silent', async () => {
    const told: string[] = [];
    server.judge = () => 'silence';
    const one = client({ onTrouble: (reason) => told.push(reason) });
    const begin = performance.now();
    await one.complete(run);
    await waitFor('the trouble to be told', () => told.length > 0);
    expect(performance.now() - begin).toBeLessThan(8_000);
    expect(told).toEqual([`${apiUrl} does not answer`]);
  });

  it('takes nothing more from when it is closed: nobody would deliver it', async () => {
    const one = new WaystationClient({ apiUrl, token: EVENTS_TOKEN, agentId: 'support' });
    await one.checkpoint({ ...run, step_index: 0, history: [] });
    const closing = one.close();
    await expect(one.checkpoint({ ...run, step_index: 1, history: [] })).rejects.toThrow('the client is closed');
    expect(await closing).toBe(true);
    await expect(one.complete(run)).rejects.toThrow('the client is closed');
    expect(steps()).toEqual([0]);
  });
});
