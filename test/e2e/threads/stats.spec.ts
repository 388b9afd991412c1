import { checkpoint, completed, failed, newThreadId, started } from '../../factories/events.js';
import { problemOf } from '../../support/problem.js';
import { detailOf, listOf, ok, record } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();

interface Sums {
  runs: number;
  completed: number;
  failed: number;
  tokens: number;
  cost_usd: number;
}

interface Stats {
  items: (Sums & { key: string })[];
  totals: Sums;
}

async function stats(query: Record<string, string> = {}): Promise<Stats> {
  return ok(await server.api.get(`/v1/stats?${new URLSearchParams(query).toString()}`)).json<Stats>();
}

/** The sums of an agent that no other test uses. */
async function totalsOf(agent: string): Promise<Sums> {
  return (await stats({ agent_id: agent })).totals;
}

describe('The sums over runs', () => {
  it('count an attempt once, with what it last reported, and follow its end', async () => {
    const agent = newThreadId('agent');
    const threadId = newThreadId();
    const of = { agent_id: agent };
    await record(server.api, started(threadId, of));
    expect(await totalsOf(agent)).toEqual({ runs: 1, completed: 0, failed: 0, tokens: 0, cost_usd: 0 });
    await record(server.api, checkpoint(threadId, 0, of));
    await record(server.api, checkpoint(threadId, 1, of));
    expect(await totalsOf(agent)).toEqual({ runs: 1, completed: 0, failed: 0, tokens: 200, cost_usd: 0.02 });
    await record(server.api, failed(threadId, { ...of, run_cost_usd: 0.07 }));
    expect(await totalsOf(agent)).toMatchObject({ runs: 1, completed: 0, failed: 1, cost_usd: 0.07 });
    await record(server.api, started(threadId, of), checkpoint(threadId, 0, { ...of, run_cost_usd: 0.5 }));
    expect(await totalsOf(agent)).toMatchObject({ runs: 2, completed: 0, failed: 1, cost_usd: 0.57 });
    await record(server.api, completed(threadId, { ...of, tokens_used: 7 }));
    expect(await totalsOf(agent)).toMatchObject({ runs: 2, completed: 1, failed: 1 });
    const { total_tokens: tokens } = await detailOf(server.api, threadId);
    expect((await totalsOf(agent)).tokens).toBe(tokens);
  });

  it('stay as they are when everything is sent again, and when the server has forgotten the threads', async () => {
    const agent = newThreadId('agent');
    const threadId = newThreadId();
    const of = { agent_id: agent };
    const events = [
      started(threadId, of),
      checkpoint(threadId, 0, of),
      checkpoint(threadId, 1, of),
      completed(threadId),
    ];
    await record(server.api, ...events);
    const before = await totalsOf(agent);
    await record(server.api, ...events);
    for (const event of events) await record(server.api, event);
    expect(await totalsOf(agent)).toEqual(before);
    await server.restart();
    await record(server.api, ...events);
    expect(await totalsOf(agent)).toEqual(before);
    await record(server.api, started(threadId, of), checkpoint(threadId, 0, { ...of, tokens_used: 1 }));
    expect(await totalsOf(agent)).toMatchObject({ runs: 2, completed: 1, tokens: before.tokens + 1 });
  });

  it('move to the model that the attempt reports last', async () => {
    const agent = newThreadId('agent');
    const threadId = newThreadId();
    const of = { agent_id: agent };
    await record(server.api, checkpoint(threadId, 0, { ...of, model: 'small' }));
    await record(server.api, checkpoint(threadId, 1, { ...of, model: 'large' }));
    const { items } = await stats({ by: 'model', agent_id: agent });
    expect(items).toMatchObject([{ key: 'large', runs: 1, tokens: 200 }]);
    expect((await stats({ by: 'agent', model: 'small', agent_id: agent })).items).toEqual([]);
  });

  it('stay when the thread is deleted, and count an imported one', async () => {
    const agent = newThreadId('agent');
    const threadId = newThreadId();
    const of = { agent_id: agent };
    await record(server.api, started(threadId, of), checkpoint(threadId, 0, of), completed(threadId, of));
    await record(server.api, started(threadId, { ...of, trace_id: 'run-2' }));
    const before = await totalsOf(agent);
    const { text } = ok(await server.api.get(`/v1/threads/${threadId}/export`));
    await server.api.delete(`/threads/${threadId}`);
    expect(await totalsOf(agent)).toEqual(before);
    const headers = { 'content-type': 'application/x-ndjson' };
    expect((await server.api.send('POST', '/v1/threads/import', text, { headers })).status).toBe(201);
    const twice = Object.fromEntries(Object.entries(before).map(([name, value]) => [name, 2 * value]));
    expect(await totalsOf(agent)).toEqual(twice);
    // The server knows how it was counted before.
    await record(server.api, completed(threadId, { trace_id: 'run-2', tokens_used: 11 }));
    const after = await totalsOf(agent);
    expect([after.completed, after.tokens]).toEqual([twice.completed! + 1, twice.tokens! + 11]);
  });

  it('name each hour and day of the range by the clocks of a time zone', async () => {
    const until = '2026-03-29T23:59:00Z';
    const days = await stats({ by: 'day', since: '2026-03-27T23:00:00Z', until, tz: 'Europe/Berlin' });
    expect(days.items.map(({ key }) => key)).toEqual(['2026-03-28', '2026-03-29', '2026-03-30']);
    const hours = await stats({ since: '2026-03-29T22:40:00Z', until, tz: 'Asia/Kathmandu' });
    expect(hours.items.map(({ key }) => key)).toEqual(['2026-03-29T22:15:00.000Z', '2026-03-29T23:15:00.000Z']);
    const today = await stats();
    expect(today.items.length).toBeGreaterThanOrEqual(24);
    const { items } = await stats({ by: 'agent' });
    expect(items.reduce((sum, { runs }) => sum + runs, 0)).toBe((await stats({ by: 'day' })).totals.runs);
    expect((await listOf(server.api, {})).items.length).toBeGreaterThan(0);
  });

  it.each(['Etc/Unknown', ''])('take the time zone %j for UTC', async (tz) => {
    const range = { by: 'day', since: '2026-03-28T23:00:00Z', until: '2026-03-29T01:00:00Z' };
    expect(await stats({ ...range, tz })).toEqual(await stats({ ...range, tz: 'UTC' }));
  });

  it.each([
    ['tz', 'Moon/Base'],
    ['by', 'week'],
    ['since', 'yesterday'],
    ['since', '1990-01-01'],
    ['since', '2100-01-01'],
  ])('refuse a wrong %s: %s', async (name, value) => {
    const problem = problemOf(await server.api.get(`/v1/stats?${name}=${encodeURIComponent(value)}`), 400);
    expect(problem).toMatchObject({ errors: [{ path: name }] });
  });
});
