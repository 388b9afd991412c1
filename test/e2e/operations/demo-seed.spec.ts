import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { listOf, ok, type Page } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const PROJECT = path.resolve(import.meta.dirname, '../../..');
const HOUR_MS = 3_600_000;
const run = promisify(execFile);

const server = useServer();

/** `npm run demo -- --seed` against the server, on a machine without recorded histories. */
async function seed(): Promise<string> {
  const none = mkdtempSync(path.join(os.tmpdir(), 'waystation-none-'));
  const address = { WAYSTATION_API_URL: new URL(server.api.baseUrl).origin, WAYSTATION_TOKEN: server.api.token };
  const env = { ...process.env, ...address, WAYSTATION_DEMO_DATA: none };
  try {
    return (await run(process.execPath, ['scripts/demo.mjs', '--seed'], { cwd: PROJECT, env })).stdout;
  } finally {
    rmSync(none, { recursive: true });
  }
}

interface Item extends Record<string, unknown> {
  thread_id: string;
  status: string;
  agents: string[];
  started_at: string;
  duration_ms: number;
  budget_warning: boolean;
}

describe('The demonstration with --seed', () => {
  it('fills a server with runs of the last day in each state', async () => {
    expect(await seed()).toContain('threads of the last day');
    const items: Item[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await listOf(server.api, { limit: '200', ...(cursor ? { cursor } : {}) });
      items.push(...(page.items as Item[]));
      cursor = page.next_cursor;
    }
    const endings = ['completed', 'error', 'budget_exceeded', 'cancelled'];
    const states = new Set(items.map(({ status }) => status));
    for (const state of [...endings, 'idle', 'in_progress', 'waiting_for_approval']) expect(states).toContain(state);
    const begun = items.map(({ started_at }) => Date.now() - Date.parse(started_at));
    expect(Math.max(...begun)).toBeGreaterThan(20 * HOUR_MS);
    expect(Math.min(...begun)).toBeLessThan(HOUR_MS);
    expect(items.some(({ budget_warning, status }) => budget_warning && status === 'in_progress')).toBe(true);
    expect(items.filter(({ duration_ms }) => duration_ms > 5_000).length).toBeGreaterThan(items.length / 2);
    const { run_list: runs } = ok(await server.api.get('/threads/import-catalogue')).json<{ run_list: object[] }>();
    expect(runs).toMatchObject([{ attempts: 3, status: 'completed' }]);
    expect(items.find(({ thread_id }) => thread_id === 'research-lisbon')?.agents).toHaveLength(3);
    const approvals = ok(await server.api.get('/approvals?status=all')).json<Page<{ status: string }>>().items;
    for (const status of ['pending', 'approved']) expect(approvals.map((one) => one.status)).toContain(status);
    const effects = ok(await server.api.get('/v1/effects')).json<Page<{ in_doubt: boolean }>>().items;
    const agents = ok(await server.api.get('/v1/agents')).json<Page<{ triggers: { next?: string[] }[] }>>().items;
    expect(Date.parse(agents.flatMap(({ triggers }) => triggers.flatMap(({ next = [] }) => next))[0]!)).toBeGreaterThan(
      Date.now(),
    );
    const channels = ok(await server.api.get('/v1/channels')).json<Page<{ enabled: boolean }>>().items;
    expect(channels.map(({ enabled }) => enabled)).toEqual([false, false]);
    const { totals } = ok(await server.api.get('/v1/stats?by=day')).json<{ totals: { runs: number } }>();
    expect(totals.runs).toBeGreaterThan(items.length);
    expect(effects.filter(({ in_doubt }) => in_doubt)).toHaveLength(2);
  });
});
