import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { checkpoint } from '../../factories/events.js';
import { runCommand } from '../../support/command.js';
import { exchange } from '../../support/console-visitor.js';
import { listOf, ok, record, type Page } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const PROJECT = path.resolve(import.meta.dirname, '../../..');
const HOUR_MS = 3_600_000;
const PATH = '/v1/example-data';
const run = promisify(execFile);

const server = useServer();

interface Item extends Record<string, unknown> {
  thread_id: string;
  status: string;
  agents: string[];
  started_at: string;
  duration_ms: number;
  budget_warning: boolean;
}

async function allThreads(): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = await listOf(server.api, { limit: '200', ...(cursor ? { cursor } : {}) });
    items.push(...(page.items as Item[]));
    cursor = page.next_cursor;
  }
  return items;
}

async function waystation(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(server.storage, args, { WAYSTATION_API_URL: server.api.baseUrl });
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

const statistics = async () => ok(await server.api.get('/v1/stats?by=agent')).json<object>();
const channels = async () =>
  ok(await server.api.get('/v1/channels')).json<Page<{ name: string; enabled: boolean }>>().items;
const agents = async () =>
  ok(await server.api.get('/v1/agents')).json<Page<{ agent_id: string; triggers: { next?: string[] }[] }>>().items;
const loaded = async () => ok(await server.api.get(PATH)).json<{ threads: number; available: number }>();

describe('Example data', () => {
  afterEach(async () => {
    await server.api.delete(PATH);
  });

  it('fills a running server with runs of the last day in each state', async () => {
    expect(ok(await server.api.post(PATH)).json()).toEqual({ added: 89, existing: 0 });
    const items = await allThreads();
    const endings = ['completed', 'error', 'budget_exceeded', 'cancelled'];
    const states = new Set(items.map(({ status }) => status));
    for (const state of [...endings, 'idle', 'in_progress', 'waiting_for_approval']) expect(states).toContain(state);
    const begun = items.map(({ started_at }) => Date.now() - Date.parse(started_at));
    expect(Math.max(...begun)).toBeGreaterThan(20 * HOUR_MS);
    expect(Math.max(...begun)).toBeLessThan(26 * HOUR_MS);
    expect(Math.min(...begun)).toBeGreaterThan(0);
    expect(Math.min(...begun)).toBeLessThan(HOUR_MS);
    expect(items.some(({ budget_warning, status }) => budget_warning && status === 'in_progress')).toBe(true);
    expect(items.filter(({ duration_ms }) => duration_ms > 5_000).length).toBeGreaterThan(items.length / 2);
    const { run_list: runs } = ok(await server.api.get('/threads/import-catalogue')).json<{ run_list: object[] }>();
    expect(runs).toMatchObject([{ attempts: 3, status: 'completed' }]);
    expect(items.find(({ thread_id }) => thread_id === 'research-lisbon')?.agents).toHaveLength(3);
    const approvals = ok(await server.api.get('/approvals?status=all')).json<Page<{ status: string }>>().items;
    for (const status of ['pending', 'approved', 'expired'])
      expect(approvals.map((one) => one.status)).toContain(status);
    const effects = ok(await server.api.get('/v1/effects')).json<Page<{ in_doubt: boolean }>>().items;
    expect(effects.filter(({ in_doubt }) => in_doubt)).toHaveLength(2);
    const firings = (await agents()).flatMap(({ triggers }) => triggers.flatMap(({ next = [] }) => next));
    expect(Date.parse(firings[0]!)).toBeGreaterThan(Date.now());
    expect((await channels()).map(({ enabled }) => enabled)).toEqual([false, false]);
    const { totals } = ok(await server.api.get('/v1/stats?by=day')).json<{ totals: { runs: number } }>();
    expect(totals.runs).toBeGreaterThan(items.length);
  });

  it('is loaded once, however often it is asked for', async () => {
    expect(await loaded()).toEqual({ threads: 0, available: 89 });
    await Promise.all([server.api.post(PATH), server.api.post(PATH)]);
    expect(await loaded()).toEqual({ threads: 89, available: 89 });
    expect(ok(await server.api.post(PATH)).json()).toEqual({ added: 0, existing: 89 });
    expect(await channels()).toHaveLength(2);
  });

  it('goes without a trace, and takes nothing along that a user made', async () => {
    await record(server.api, checkpoint('refund-9920', 0, { agent_id: 'mine' }));
    await record(server.api, { type: 'heartbeat', data: { agent_id: 'support', endpoint: 'http://127.0.0.1:9100' } });
    const config = { bot_token: '99:mine' };
    const order = { channel_type: 'telegram', name: 'Shop bot (made up)', config };
    const { id } = (await server.api.post('/v1/channels', order)).json<{ id: string }>();
    const before = [await statistics(), await agentIds(), (await channels()).length];
    expect(ok(await server.api.post(PATH)).json()).toEqual({ added: 88, existing: 1 });
    await record(server.api, checkpoint('deploy-main', 0, { trace_id: 'more', agent_id: 'mine' }));
    expect(ok(await server.api.delete(PATH)).json()).toEqual({ removed: 88 });
    expect((await allThreads()).map(({ thread_id }) => thread_id)).toEqual(['refund-9920']);
    expect([await statistics(), await agentIds(), (await channels()).length]).toEqual(before);
    expect(ok(await server.api.delete(PATH)).json()).toEqual({ removed: 0 });
    await server.api.delete('/threads/refund-9920');
    await server.api.delete(`/v1/channels/${id}`);
  });

  it('comes and goes by the command line, which ends with a signed-in link to the page', async () => {
    const [added, link] = (await waystation('demo', '--seed')).trim().split('\n');
    expect(added).toBe('Added 89 example threads.');
    const code = /^http:\/\/\S+\/console\/#code=(\S+)$/.exec(link!)?.[1];
    expect((await exchange(server.api, code!)).status).toBe(201);
    expect(await waystation('demo', '--seed')).toContain('All 89 example threads are there already.');
    expect(await waystation('demo', '--remove')).toBe('Removed 89 example threads.\n');
    expect(await waystation('demo', '--remove')).toBe('No example data to remove.\n');
  });

  it('comes to the running server by `npm run demo -- --seed`', async () => {
    const address = { WAYSTATION_API_URL: new URL(server.api.baseUrl).origin, WAYSTATION_TOKEN: server.api.token };
    const env = { ...process.env, ...address };
    const { stdout } = await run(process.execPath, ['scripts/demo.mjs', '--seed'], { cwd: PROJECT, env });
    expect(stdout).toContain('Added 89 example threads.');
    expect((await loaded()).threads).toBe(89);
  });
});

async function agentIds(): Promise<string[]> {
  return (await agents()).map(({ agent_id }) => agent_id);
}
