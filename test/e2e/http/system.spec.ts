import { checkpoint, newThreadId } from '../../factories/events.js';
import { ok, record } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();

interface System {
  version: string;
  started_at: string;
  database: { kind: string; size_bytes: number };
  disk: { free_bytes: number; total_bytes: number } | null;
  queue: { jobs: number; max_jobs: number };
  instances: { version: string }[];
  findings: { check: string; level: string }[];
}

describe('The state of the server', () => {
  it('says what runs, on which database, and what the doctor finds', async () => {
    await record(server.api, checkpoint(newThreadId(), 0));
    const { text: health } = ok(await server.api.get('/health'));
    const answer = ok(await server.api.get('/v1/system'));
    const system = answer.json<System>();
    const { dialect } = server.storage;
    expect(system).toMatchObject({
      version: (JSON.parse(health) as { version: string }).version,
      database: { kind: dialect },
      queue: { jobs: 0 },
      instances: [{ version: system.version }],
    });
    expect(Date.parse(system.started_at)).toBeLessThanOrEqual(Date.now() + 5_000);
    expect(system.database.size_bytes).toBeGreaterThan(100_000);
    expect(system.queue.max_jobs).toBeGreaterThan(0);
    expect(system.disk === null).toBe(dialect === 'postgres');
    if (system.disk) expect(system.disk.free_bytes).toBeLessThanOrEqual(system.disk.total_bytes);
    const checks = system.findings.map(({ check }) => check);
    for (const check of ['node', 'folder', 'secret', 'database', 'schema']) expect(checks).toContain(check);
    expect(system.findings.filter(({ level }) => level === 'fault')).toEqual([]);
    expect(answer.text).not.toContain(server.api.token);
  });
});
