import path from 'node:path';
import { checkpoint, newThreadId } from '../../factories/events.js';
import { runCommand, type CommandResult } from '../../support/command.js';
import { testDialect } from '../../support/dialect.js';
import { EVENTS, ok, record } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { execute } from '../../support/sqlite-file.js';
import { copyOfStorage, freshStorage, siblingHome, withPostgres, type TestStorage } from '../../support/storage.js';
import { contentsOf, rowsOf, signedInTo } from '../../support/table-contents.js';
import { fillStorage, snapshotsOf } from '../../support/varied-data.js';

interface Moving {
  source: TestStorage;
  target: TestStorage;
  ids: string[];
  snapshots: unknown[];
}

const KILLS = 4;

let original: Omit<Moving, 'target'>;
let storages: TestStorage[] = [];

beforeAll(async () => {
  const source = await freshStorage('sqlite');
  const server = await ServerProcess.start(source);
  const ids = await fillStorage(server.api);
  const snapshots = await snapshotsOf(server.api, ids);
  await server.stop();
  original = { source, ids, snapshots };
});
afterAll(() => original?.source.dispose());
afterEach(async () => {
  for (const storage of storages) await storage.dispose();
  storages = [];
});

/** A filled SQLite file whose server has stopped, and an empty PostgreSQL. */
async function begin(): Promise<Moving> {
  const [source, target] = [await copyOfStorage(original.source), await freshStorage('postgres')];
  storages.push(source, target);
  return { ...original, source, target };
}

/** The target's record of the move's progress; empty before its beginning. */
async function progressOf({ target }: Moving): Promise<string> {
  return withPostgres(target.databaseUrl!, async (client) => {
    const { rows } = await client.query('SELECT * FROM data_transfer ORDER BY table_name');
    return JSON.stringify(rows);
  }).catch(() => '');
}

/** Adds thousands of threads, so that a move takes a while. */
async function fillUp({ source }: Moving): Promise<void> {
  const server = await ServerProcess.start(source);
  for (let batch = 0; batch < 20; batch++) {
    const events = Array.from({ length: 400 }, () => checkpoint(newThreadId('many'), 0));
    expect((await server.api.post(EVENTS, { events })).status).toBe(200);
  }
  await server.stop();
}

/** Kills the command as soon as `killWhen` returns true. */
function move(
  { source, target }: Moving,
  args: string[] = [],
  killWhen?: () => Promise<boolean>,
): Promise<CommandResult> {
  const env = { DATABASE_URL: target.databaseUrl! };
  return runCommand(source, ['migrate-data', '--from', `sqlite:${source.sqlitePath}`, ...args], env, { killWhen });
}

function done(result: CommandResult): CommandResult {
  if (result.code !== 0) throw new Error(`It failed with ${result.code}: ${result.stderr}`);
  return result;
}

function refused(result: CommandResult, words: RegExp): void {
  expect(result.stderr).toMatch(words);
  expect(result.stderr).not.toMatch(/Unexpected|\bat .*\.js:\d+/);
  expect(result.code).toBe(1);
}

async function expectMoved({ source, target }: Moving): Promise<void> {
  const { key_check: _, ...moved } = await contentsOf(target);
  const { key_check: __, ...kept } = await contentsOf(source);
  expect(Object.keys(moved)).toEqual(Object.keys(kept));
  expect(await signedInTo(target)).toEqual([0, 0]);
  for (const [table, rows] of Object.entries(kept)) {
    expect([table, moved[table]!.length]).toEqual([table, rows.length]);
    expect(moved[table]!.filter((row, at) => row !== rows[at])).toEqual([]);
  }
}

/** The way back goes thread by thread; values that states share are stored once there too. */
async function expectStatesBack(server: ServerProcess, threadId: string, source: TestStorage): Promise<void> {
  const states = async ({ api }: ServerProcess) =>
    ok(await api.get(`/v1/runners/state?thread_id=${encodeURIComponent(threadId)}`)).text;
  const exported = ok(await server.api.get(`/v1/threads/${encodeURIComponent(threadId)}/export`)).text;
  const back = await freshStorage('sqlite');
  storages.push(back);
  const other = await ServerProcess.start(back);
  const lines = { headers: { 'content-type': 'application/x-ndjson' } };
  expect((await other.api.post('/v1/threads/import', exported, lines)).status).toBe(201);
  expect(await states(other)).toBe(await states(server));
  await other.stop();
  const valuesOf = async (storage: TestStorage) =>
    (await rowsOf(storage, 'state_value')).map(({ agent, digest, data }) => `${agent} ${digest} ${data}`).sort();
  expect(await valuesOf(back)).toEqual(await valuesOf(source));
}

describe('Moving without a target', () => {
  it('is refused with a word about what is missing', async () => {
    const source = await freshStorage('sqlite');
    storages.push(source);
    refused(await runCommand(source, ['migrate-data']), /DATABASE_URL/);
    expect((await runCommand(source, ['migrate-data', '--from', 'postgres://there'])).code).toBe(2);
  });
});

/** A move needs both databases at once, which the PostgreSQL project has. */
function withBoth(name: string, tests: () => void): void {
  if (testDialect() === 'postgres') describe(name, tests);
}

withBoth('Moving from SQLite to PostgreSQL', () => {
  it('keeps everything, and the server goes on where it was', async () => {
    const moving = await begin();
    done(await move(moving));
    await expectMoved(moving);
    const { source, target, ids, snapshots } = moving;
    const env = { WAYSTATION_HOME: await siblingHome({ ...target, secret: source.secret }) };
    const server = await ServerProcess.start({ ...target, secret: source.secret }, { env });
    expect(await snapshotsOf(server.api, ids)).toEqual(snapshots);
    await record(server.api, checkpoint(newThreadId(), 0), checkpoint(ids[1]!, 5));
    await expectStatesBack(server, ids[0]!, source);
    await server.stop();
  });

  it('never gives the number of a deleted thread to a new one', async () => {
    const moving = await begin();
    await execute(moving.source.sqlitePath, `UPDATE sqlite_sequence SET seq = 4711 WHERE name = 'thread'`);
    done(await move(moving));
    const { rows } = await withPostgres(moving.target.databaseUrl!, (client) =>
      client.query(`SELECT nextval('thread_pk_seq') AS next`),
    );
    expect(Number(rows[0].next)).toBe(4712);
  });

  it('goes on after every kill -9, and nothing is lost or doubled', async () => {
    const moving = await begin();
    await fillUp(moving);
    for (let kill = 0; kill < KILLS; kill++) {
      const before = await progressOf(moving);
      // Each time after more progress; the first time at the very beginning.
      const { code } = await move(moving, [], async () => (await progressOf(moving)) !== before);
      expect(code).toBeNull();
    }
    const server = await runCommand(moving.target, ['migrate']);
    expect(server.stderr).toMatch(/being moved/);
    done(await move(moving));
    await expectMoved(moving);
  });

  it('finds nothing to do the second time', async () => {
    const moving = await begin();
    const first = done(await move(moving, ['--json']));
    expect(first.stderr).toContain('moved    thread');
    expect(first.stderr).toMatch(/^empty {4}\d+ tables$/m);
    expect(first.stderr).not.toMatch(/ 0 rows/);
    const told = JSON.parse(first.stdout) as { rows: Record<string, number> };
    expect(told).toEqual({ file: moving.source.sqlitePath, rows: expect.any(Object) });
    expect(told.rows.thread).toBeGreaterThan(0);
    expect(done(await move(moving)).stdout).toContain('already');
    expect(JSON.parse(done(await move(moving, ['--json'])).stdout)).toMatchObject({ rows: {} });
    await expectMoved(moving);
  });

  it('is refused while a server uses either side', async () => {
    const moving = await begin();
    const from = await ServerProcess.start(moving.source);
    refused(await move(moving), /serving/);
    await from.stop();
    const to = await ServerProcess.start(moving.target);
    refused(await move(moving), /in use/);
    await to.stop();
  });

  it('is refused where something else is stored', async () => {
    const moving = await begin();
    const server = await ServerProcess.start(moving.target);
    await record(server.api, checkpoint(newThreadId(), 0));
    await server.stop();
    refused(await move(moving), /not empty/);
  });

  it('is refused where there is no file, or an older schema', async () => {
    const moving = await begin();
    const absent = { ...moving, source: { ...moving.source, sqlitePath: path.join(moving.source.home, 'absent.db') } };
    refused(await move(absent), /no database/);
    done(await runCommand(moving.source, ['migrate', '--down']));
    refused(await move(moving), /schema of another version/);
  });

  it('that finds the file changed between two runs says so, and begins again when it is told to', async () => {
    const moving = await begin();
    await withPostgres(moving.target.databaseUrl!, async (client) => {
      done(await move(moving));
      await client.query(`CREATE TABLE data_transfer (table_name text PRIMARY KEY, row_key text, is_done boolean)`);
      const [first] = (await client.query('SELECT id, started_at FROM thread ORDER BY pk LIMIT 1')).rows;
      await client.query(`INSERT INTO data_transfer VALUES ('', $1, FALSE)`, [`${first.id} ${first.started_at}`]);
      await client.query(`INSERT INTO data_transfer SELECT relname, NULL, TRUE FROM pg_class WHERE relkind = 'r'`);
      await client.query(`UPDATE message SET body = body || ' ' WHERE seq = 1`);
    });
    refused(await move(moving), /message differs/);
    done(await move(moving, ['--restart']));
    await expectMoved(moving);
  });
});
