import { checkpoint, started } from '../factories/events.js';
import { CrashLoad } from '../support/crash-load.js';
import { testDialect } from '../support/dialect.js';
import { EVENTS } from '../support/recording.js';
import { ServerProcess } from '../support/server-process.js';
import { integrityOf } from '../support/sqlite-file.js';
import { freshStorage, type TestStorage } from '../support/storage.js';
import { startPostgres, type PostgresCluster } from '../support/setup/postgres-cluster.mjs';
import { waitFor } from '../support/wait.js';

const ROUNDS = 4;
const isPostgres = testDialect() === 'postgres';

describe('kill -9 under load', () => {
  let cluster: PostgresCluster | undefined;
  let storage: TestStorage;

  beforeAll(async () => {
    if (isPostgres && !process.env.TEST_DATABASE_URL) cluster = await startPostgres({ durable: true });
    storage = await freshStorage(testDialect(), cluster?.url);
  });
  afterAll(async () => {
    await storage?.dispose();
    await cluster?.stop();
  });

  it('loses nothing that was acknowledged, and the next start needs no repair', async () => {
    const load = new CrashLoad();
    for (let round = 0; round < ROUNDS; round++) {
      const server = await ServerProcess.start(storage, { isAlone: true });
      const stopped = load.run(server.api, `round-${round}`);
      await waitFor('enough acknowledged steps', () => load.acknowledgedIn(`round-${round}`) >= 100 + 40 * round);
      await server.kill();
      await stopped;
      if (!isPostgres) expect(await integrityOf(storage.sqlitePath)).toBe('ok');
    }
    const survivor = await ServerProcess.start(storage, { isAlone: true });
    await load.verify(survivor.api);
    expect(await survivor.stop()).toBe(0);
  });

  /** Only our own cluster may be killed. */
  if (!isPostgres || process.env.TEST_DATABASE_URL) return;

  it('of PostgreSQL itself is answered with 503 until it is back, and loses nothing either', async () => {
    const server = await ServerProcess.start(storage, { env: { WAYSTATION_LOG_LEVEL: 'silent' } });
    const load = new CrashLoad();
    const stopped = load.run(server.api, 'database');
    await waitFor('enough acknowledged steps', () => load.acknowledgedIn('database') >= 100);
    await cluster?.kill();
    await stopped;
    expect(load.refusals.filter((status) => status !== 503)).toEqual([]);
    await cluster?.start();
    const back = { events: [started('after'), checkpoint('after', 0)] };
    await waitFor('the server to recover', async () => (await server.api.post(EVENTS, back)).status === 200);
    await load.verify(server.api);
    await server.stop();
  });
});
