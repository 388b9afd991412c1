import fc from 'fast-check';
import type { Client } from 'pg';
import { Database } from '../../src/database/database.js';
import { checkpoint, newThreadId } from '../factories/events.js';
import { startApp, type InProcessApp } from '../support/in-process-app.js';
import { latestOf, record } from '../support/recording.js';
import { assertSearching, searchMs } from '../support/search-seconds.js';
import { freshStorage, migratedStorage, postgresUrl, withPostgres, type TestStorage } from '../support/storage.js';
import { contentsOf } from '../support/table-contents.js';
import { fillStorage, snapshotsOf } from '../support/varied-data.js';

const SEED = Number(process.env.WAYSTATION_TEST_SEED ?? Date.now() % 2 ** 31);

type Settings = Record<string, string>;

/** Each of these changes the meaning of a statement, its time limit, or the lifetime of a connection. */
const HOSTILE: Settings = {
  standard_conforming_strings: 'off',
  backslash_quote: 'off',
  client_encoding: 'LATIN1',
  array_nulls: 'off',
  extra_float_digits: '-15',
  TimeZone: 'Asia/Kathmandu',
  DateStyle: 'SQL, DMY',
  IntervalStyle: 'iso_8601',
  bytea_output: 'escape',
  default_transaction_isolation: 'serializable',
  default_transaction_deferrable: 'on',
  row_security: 'on',
  transform_null_equals: 'on',
  exit_on_error: 'on',
  quote_all_identifiers: 'on',
  statement_timeout: '300',
  lock_timeout: '300',
  idle_in_transaction_session_timeout: '300',
  idle_session_timeout: '300',
  transaction_timeout: '300',
  plan_cache_mode: 'force_generic_plan',
};

/** Begins its own statement if a backslash hides the quotation mark after it. */
const INJECTING = `x\\'); CREATE TABLE injected (n int); --`;

/** Settings that tests may choose freely only if they do not affect what is stored. */
const ADMINISTRATIVE =
  /^(default_transaction_read_only|transaction_|session_replication_role|log_|debug_print|trace_|zero_damaged|ignore_|allow_|wal_|track_|backtrace)/;

/** The values of a setting on the server's own connections. */
async function settingsOf({ app }: InProcessApp, name: string): Promise<Set<unknown>> {
  const database = app.get(Database);
  const read = (sql: string) => database.read(sql);
  const written = database.transaction((session) => session.query(`SHOW ${name}`));
  const rows = await Promise.all([written, ...Array.from({ length: 4 }, () => read(`SHOW ${name}`))]);
  return new Set(rows.flat().map((row) => Object.values(row)[0]));
}

describe('A commit on a database with settings of its own', () => {
  it.each([
    ['off', 'on'],
    ['local', 'local'],
    ['remote_apply', 'remote_apply'],
  ])('is on disk before the response where these say synchronous_commit = %s', async (given, kept) => {
    const storage = await migratedStorage();
    try {
      await alter(storage, { synchronous_commit: given });
      const used = await runAnd(await startApp({ storage }), (app) => settingsOf(app, 'synchronous_commit'));
      expect([...used]).toEqual([kept]);
    } finally {
      await storage.dispose();
    }
  });

  it('is on disk before the response where DATABASE_URL says otherwise', async () => {
    const storage = await migratedStorage();
    const url = new URL(storage.databaseUrl!);
    url.searchParams.set('options', '-c synchronous_commit=off');
    try {
      const filling = await startApp({ storage, env: { DATABASE_URL: url.href } });
      expect([...(await runAnd(filling, (app) => settingsOf(app, 'synchronous_commit')))]).toEqual(['on']);
    } finally {
      await storage.dispose();
    }
  });
});

describe('Recording on a database with settings of its own', () => {
  it('keeps every text and number, whatever these are', async () => {
    const storage = await freshStorage();
    try {
      await alter(storage, HOSTILE);
      await records(storage);
    } finally {
      await storage.dispose();
    }
  });

  it('keeps them with any that it may have', async () => {
    const choices = await withPostgres(postgresUrl(), choicesOf);
    const some = fc.uniqueArray(fc.constantFrom(...choices), {
      minLength: 1,
      maxLength: 12,
      selector: ([name]) => name,
    });
    const check = async (chosen: [string, string][]) => {
      const storage = await migratedStorage();
      try {
        await alter(storage, Object.fromEntries(chosen));
        await records(storage);
      } finally {
        await storage.dispose();
      }
    };
    await assertSearching(some, check, { seed: SEED, ms: searchMs(10) });
  });
});

/** Possible values of settings other than their current ones. */
async function choicesOf(client: Client): Promise<[string, string][]> {
  const { rows } = await client.query<{ name: string; values: string[] }>(
    `SELECT name, CASE vartype WHEN 'bool' THEN ARRAY[CASE setting WHEN 'on' THEN 'off' ELSE 'on' END]
       WHEN 'enum' THEN enumvals END AS values
     FROM pg_settings WHERE context = 'user' AND vartype IN ('bool', 'enum') ORDER BY name`,
  );
  return rows
    .filter(({ name }) => !ADMINISTRATIVE.test(name))
    .flatMap(({ name, values }) => values.map((value): [string, string] => [name, value]));
}

async function alter(storage: TestStorage, settings: Settings): Promise<void> {
  await withPostgres(postgresUrl(), async (client) => {
    const name = nameOf(storage);
    for (const [setting, value] of Object.entries(settings)) {
      const { rows } = await client.query('SELECT 1 FROM pg_settings WHERE lower(name) = lower($1)', [setting]);
      if (rows.length > 0) await client.query(`ALTER DATABASE ${name} SET ${setting} = '${value}'`);
    }
  });
}

/** For the test's own connection. */
async function reset(storage: TestStorage): Promise<void> {
  await withPostgres(postgresUrl(), (client) => client.query(`ALTER DATABASE ${nameOf(storage)} RESET ALL`));
}

function nameOf({ databaseUrl }: TestStorage): string {
  return new URL(databaseUrl!).pathname.slice(1);
}

/** Fills the storage and checks that memory and storage agree. */
async function records(storage: TestStorage): Promise<void> {
  const filling = await startApp({ storage });
  const [ids, said] = await runAnd(filling, async ({ api }) => {
    const kept = [...(await fillStorage(api)), INJECTING, newThreadId('injecting')];
    for (const id of kept.slice(-2))
      await record(api, checkpoint(id, 0, { history: [{ role: 'user', content: INJECTING }] }));
    return [kept, await snapshotsOf(api, kept)] as const;
  });
  await runAnd(await startApp({ storage }), async ({ api }) => {
    expect(await snapshotsOf(api, ids)).toEqual(said);
    expect((await latestOf(api, INJECTING)).history[0]!.content).toBe(INJECTING);
  });
  await reset(storage);
  expect(Object.keys(await contentsOf(storage))).not.toContain('injected');
}

async function runAnd<T>(app: InProcessApp, work: (app: InProcessApp) => Promise<T>): Promise<T> {
  try {
    return await work(app);
  } finally {
    await app.stop();
  }
}
