import { checkpoint, newThreadId } from '../../factories/events.js';
import { newRun, waiting, working } from '../../factories/waiting.js';
import { EventStream } from '../../support/event-stream.js';
import { parseMetrics, seriesOf, type ScrapedFamily } from '../../support/prometheus.js';
import { problemOf } from '../../support/problem.js';
import { EVENTS, latestPath, record, threadPath } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const server = useServer({ isAlone: true });

async function scrape(): Promise<Map<string, ScrapedFamily>> {
  const answer = await server.api.get('/metrics');
  expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  return parseMetrics(answer.text);
}

const until = (name: string, value: number, labels: Record<string, string> = {}) =>
  waitFor(`${name} to be ${value}`, async () => seriesOf(await scrape(), name, labels) === value);

describe('The metrics', () => {
  const tokenOf = async (scope: string) =>
    (await server.api.post('/v1/tokens', { scope })).json<{ token: string }>().token;

  it('are for administrators and monitoring systems only', async () => {
    problemOf(await server.api.get('/metrics', { token: null }), 401);
    for (const scope of ['runner', 'approver']) {
      problemOf(await server.api.get('/metrics', { token: await tokenOf(scope) }), 403);
    }
    expect((await server.api.get('/metrics', { token: await tokenOf('metrics') })).status).toBe(200);
  });

  it('are all that a monitoring system sees', async () => {
    const token = await tokenOf('metrics');
    for (const path of ['/threads', '/approvals', '/v1/agents', '/v1/channels', '/v1/tokens']) {
      problemOf(await server.api.get(path, { token }), 403);
    }
    problemOf(await server.api.post('/v1/tokens', { scope: 'metrics' }, { token }), 403);
    expect((await server.api.get('/health/ready', { token })).status).toBe(200);
  });

  it('count requests by route, method and status, and no path', async () => {
    const threadId = newThreadId('secretive');
    await record(server.api, checkpoint(threadId, 0));
    await server.api.get(latestPath(threadId));
    await server.api.get(latestPath('nobody'));
    await server.api.get('/no/such/path');
    await server.api.send('PROPFIND', '/threads');
    const route = '/v1/runners/threads/:thread_id/latest';
    await until('waystation_http_requests_total', 1, { route, method: 'GET', status: '2xx' });
    const { text } = await server.api.get('/metrics');
    const read = parseMetrics(text);
    expect(seriesOf(read, 'waystation_http_requests_total', { route, status: '4xx' })).toBe(1);
    expect(seriesOf(read, 'waystation_http_request_duration_seconds_count', { route })).toBe(2);
    expect(seriesOf(read, 'waystation_http_requests_total', { route: 'other', status: '4xx' })).toBeGreaterThan(1);
    expect(text).not.toMatch(/secretive|nobody|no\/such|PROPFIND/);
  });

  it('count events and the groups in which they were committed', async () => {
    const before = await scrape();
    const good = checkpoint(newThreadId(), 0);
    await server.api.post(EVENTS, { events: [good, { type: 'checkpoint', data: {} }] });
    await server.api.post(EVENTS, { events: [{ type: 'checkpoint', data: {} }] });
    const after = await scrape();
    const growth = (name: string) => seriesOf(after, name)! - seriesOf(before, name)!;
    expect(growth('waystation_events_saved_total')).toBe(1);
    expect(growth('waystation_events_rejected_total')).toBe(2);
    expect(growth('waystation_journal_commit_seconds_count')).toBe(1);
    expect(growth('waystation_journal_group_jobs_sum')).toBe(1);
    expect(seriesOf(after, 'waystation_journal_queue_jobs')).toBe(0);
    expect(seriesOf(after, 'waystation_journal_queue_bytes')).toBe(0);
  });

  it('show who follows and who waits', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const streams = [
      await EventStream.open(server.api, threadPath(threadId, '/stream')),
      await EventStream.open(server.api, '/approvals/stream'),
    ];
    const held = server.api.get(latestPath(threadId, { wait: '30' }));
    await until('waystation_thread_streams_open', 1);
    await until('waystation_approval_streams_open', 1);
    await until('waystation_latest_waits_open', 1);
    await record(server.api, checkpoint(threadId, 1));
    await held;
    for (const stream of streams) stream.close();
    await until('waystation_thread_streams_open', 0);
    await until('waystation_approval_streams_open', 0);
    await until('waystation_latest_waits_open', 0);
  });

  it('show what waits for people and which agents are there', async () => {
    const run = newRun();
    await record(server.api, working(run, 0), waiting(run, 1));
    await record(server.api, { type: 'heartbeat', data: { agent_id: 'support', endpoint: 'http://127.0.0.1:9/' } });
    await until('waystation_approvals_pending', 1);
    await until('waystation_agents', 1, { state: 'online' });
    await until('waystation_threads', 1, { status: 'waiting_for_approval' });
    const read = await scrape();
    expect(seriesOf(read, 'waystation_approvals_oldest_pending_seconds')).toBeLessThan(60);
    expect(seriesOf(read, 'waystation_threads', { status: 'in_progress' })).toBeGreaterThan(0);
  });

  it('show the process and its database', async () => {
    const read = await scrape();
    const database = server.storage.dialect;
    expect(seriesOf(read, 'waystation_build_info', { database })).toBe(1);
    expect(seriesOf(read, 'waystation_database_up')).toBe(1);
    expect(seriesOf(read, 'waystation_instances')).toBe(1);
    expect(seriesOf(read, 'process_cpu_seconds_total')).toBeGreaterThan(0);
    expect(seriesOf(read, 'process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
    const connections = seriesOf(read, 'waystation_database_pool_connections');
    if (database === 'postgres') expect(connections).toBeGreaterThan(0);
    else expect(connections).toBeUndefined();
  });

  it('watch timers between two readings, and not in a server that nobody asks', async () => {
    await server.restart();
    const lag = async () => seriesOf(await scrape(), 'nodejs_eventloop_lag_seconds', { stat: 'p99' });
    expect(await lag()).toBeUndefined();
    expect(await lag()).toBeLessThan(60);
  });
});
