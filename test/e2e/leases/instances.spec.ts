import { checkpoint, completed, newThreadId, otherCheckpoint, started } from '../../factories/events.js';
import type { ApiClient } from '../../support/api-client.js';
import { testDialect } from '../../support/dialect.js';
import { claim, fenced, leased, outcomesOf, release, type Lease } from '../../support/leases.js';
import { detailOf, record, snapshotOf } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { siblingHome } from '../../support/storage.js';
import { useServer } from '../../support/test-server.js';

const first = useServer();
let second: ServerProcess | null = null;

/** Two servers on one PostgreSQL; one on a SQLite file. */
beforeAll(async () => {
  if (testDialect() !== 'postgres') return;
  second = await ServerProcess.start(first.storage, { env: { WAYSTATION_HOME: await siblingHome(first.storage) } });
});
afterAll(() => second?.stop());

function server(n: number): ApiClient {
  return n % 2 === 0 || !second ? first.api : second.api;
}

describe('Of many who claim a lease at one moment through all servers', () => {
  it('exactly one gets it, and the others learn who', async () => {
    const threadId = newThreadId();
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, n) => claim(server(n), threadId, `p${n}`, { ttl_seconds: 600 })),
    );
    const winners = answers.filter(({ status }) => status === 201).map((answer) => answer.json<Lease>());
    expect(winners).toHaveLength(1);
    const others = answers.filter(({ status }) => status === 409).map((answer) => answer.json());
    expect(others).toHaveLength(63);
    const { holder, expires_at, fence } = winners[0]!;
    for (const other of others) expect(other).toMatchObject({ code: 'lease_held', holder, expires_at });
    const told = await Promise.all([0, 1].map((n) => outcomesOf(server(n), fenced(checkpoint(threadId, n), fence))));
    expect(told).toEqual([['saved'], ['saved']]);
  });

  it('exactly one takes it over where all name its fence', async () => {
    const threadId = newThreadId();
    const fence = await leased(server(0), threadId, 'one', { ttl_seconds: 600 });
    const answers = await Promise.all(
      Array.from({ length: 32 }, (_, n) => claim(server(n), threadId, `p${n}`, { fence, ttl_seconds: 600 })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(31);
  });
});

describe('A lease that one server gave', () => {
  it('is known to the memory of the others before the next event', async () => {
    const threadId = newThreadId();
    await record(server(1), started(threadId), checkpoint(threadId, 0));
    let fence: number | null = null;
    for (let round = 0; round < 10; round++) {
      // The other server has just written the thread and has it in memory.
      expect(await outcomesOf(server(round + 1), fenced(checkpoint(threadId, round + 1), fence))).toEqual(['saved']);
      const next: number = await leased(server(round), threadId, `p${round}`, { force: true });
      const event = otherCheckpoint(threadId, round + 1, 'late');
      expect(await outcomesOf(server(round + 1), fenced(event, fence))).toEqual(['stale_fence']);
      fence = next;
    }
    await release(server(0), threadId, fence!);
    expect(await outcomesOf(server(1), completed(threadId))).toEqual(['saved']);
  });

  it('is renewed for all of them', async () => {
    const threadId = newThreadId();
    const fence = await leased(server(0), threadId, 'one', { ttl_seconds: 60 });
    await record(server(1), fenced(checkpoint(threadId, 0), fence));
    // The other server read the lease when it was about to end.
    expect((await claim(server(1), threadId, 'two')).status).toBe(409);
    const renewed = await claim(server(0), threadId, 'one', { ttl_seconds: 3600 });
    const refused = await claim(server(1), threadId, 'two');
    expect([renewed.status, refused.status]).toEqual([200, 409]);
    expect(refused.json<Lease>().expires_at).toBe(renewed.json<Lease>().expires_at);
    await record(server(1), fenced(checkpoint(threadId, 1), fence));
  });

  it('cannot be outrun: of events and handovers at one moment none counts under two fences', async () => {
    const threadId = newThreadId();
    let fence = await leased(server(0), threadId, 'p0');
    for (let round = 0; round < 8; round++) {
      const reports = Array.from({ length: 6 }, (_, n) =>
        outcomesOf(server(n), fenced(checkpoint(threadId, 6 * round + n), fence)),
      );
      const [next, ...told] = await Promise.all([leased(server(round), threadId, 'heir', { fence }), ...reports]);
      const saved = told.filter(([outcome]) => outcome === 'saved').length;
      expect(told.filter(([outcome]) => outcome === 'stale_fence')).toHaveLength(6 - saved);
      const before = await snapshotOf(server(1), threadId).catch(() => null);
      const late = Array.from({ length: 3 }, (_, n) => otherCheckpoint(threadId, 6 * round + n, 'late'));
      const outcomes = await outcomesOf(server(0), ...late.map((event) => fenced(event, fence)));
      expect(outcomes).toEqual(['stale_fence', 'stale_fence', 'stale_fence']);
      expect(await snapshotOf(server(1), threadId).catch(() => null)).toEqual(before);
      fence = next;
    }
    await record(server(1), fenced(completed(threadId), fence));
    expect(await detailOf(server(0), threadId)).toMatchObject({ status: 'completed' });
  });
});
