import { jest } from '@jest/globals';
import pg from 'pg';
import type { ScriptPart, SqlReader } from '../../src/database/database.js';
import { migrateUp } from '../../src/database/migrator.js';
import { PostgresChangeFeed } from '../../src/database/postgres-change-feed.js';
import { PostgresDatabase } from '../../src/database/postgres-database.js';
import { MutableLink } from '../support/mutable-link.js';
import { freshStorage, withPostgres, type TestStorage } from '../support/storage.js';
import { waitFor } from '../support/wait.js';

const PROMPT_MS = 30_000;
const SILENCE_MS = 4_000;

let storage: TestStorage;
let url: URL;

beforeAll(async () => {
  storage = await freshStorage();
  url = new URL(storage.env.DATABASE_URL!);
});
afterAll(() => storage?.dispose());

describe('The connections to PostgreSQL', () => {
  it('are given up when the other end is gone without a word, and new ones are made', async () => {
    const link = await MutableLink.to(url);
    const through = new URL(url);
    through.port = String(link.port);
    const limits = { statementMs: 60_000, silenceMs: SILENCE_MS };
    const database = PostgresDatabase.open(through.href, 2, () => undefined, limits);
    try {
      const one = () => database.transaction((session) => session.query('SELECT 1 AS one'));
      expect(await one()).toEqual([{ one: 1 }]);
      link.fallSilent();
      const sinceMs = performance.now();
      await expect(one()).rejects.toMatchObject({ kind: 'unavailable', code: 'storage_unavailable' });
      expect(performance.now() - sinceMs).toBeLessThan(PROMPT_MS);
      expect(await one()).toEqual([{ one: 1 }]);
    } finally {
      await database.close();
      await link.close();
    }
  });

  it('give space back however long that takes', async () => {
    await withPostgres(url.href, async (client) => {
      await client.query(
        `CREATE TABLE bulky WITH (autovacuum_enabled = off) AS
         SELECT n, repeat(md5(n::text), 20) AS text FROM generate_series(1, 100000) AS n`,
      );
      await client.query('DELETE FROM bulky');
    });
    const limits = { statementMs: 20, silenceMs: 60_000 };
    const database = PostgresDatabase.open(url.href, 2, () => undefined, limits);
    try {
      // Even this may take longer on a busy machine.
      const limit = () => database.read('SHOW statement_timeout').catch(() => undefined);
      expect(await waitFor('the limit', limit)).toEqual([{ statement_timeout: '20ms' }]);
      // The database keeps rows for transactions that began before the deletion, including its own maintenance of another table.
      await waitFor('the space', async () => {
        await database.reclaim(['bulky'], new AbortController().signal);
        const size = await withPostgres(url.href, (client) => client.query(`SELECT pg_table_size('bulky') AS bytes`));
        return Number(size.rows[0].bytes) < 1_000_000;
      });
    } finally {
      await database.close();
    }
  });
});

describe('The ids of threads', () => {
  it('are sorted by their code points in a database of any language', async () => {
    await withPostgres(url.href, (client) =>
      client.query(`CREATE DATABASE english TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en'`),
    );
    const english = new URL(url);
    english.pathname = '/english';
    try {
      await migrateUp({ url: english.href, sqlitePath: storage.sqlitePath });
      const ids = ['a', 'B', 'ä', 'Z', 'z', '_', 'a-b', 'ab'];
      await withPostgres(english.href, async (client) => {
        const { rows } = await client.query(
          `SELECT (SELECT c.collname FROM pg_attribute a JOIN pg_collation c ON c.oid = a.attcollation
             WHERE a.attrelid = 'thread'::regclass AND a.attname = 'id') AS of_id,
           ARRAY(SELECT id FROM unnest($1::text[]) AS id ORDER BY id) AS otherwise`,
          [ids],
        );
        expect(rows[0].of_id).toBe('C');
        expect(rows[0].otherwise).not.toEqual([...ids].sort());
      });
    } finally {
      await withPostgres(url.href, (client) => client.query('DROP DATABASE english WITH (FORCE)'));
    }
  });
});

describe('A transaction', () => {
  it('that reads and writes is two round trips, and is undone whole where its script fails', async () => {
    const database = new PostgresDatabase(new pg.Pool({ connectionString: url.href, max: 1 }));
    const query = jest.spyOn(pg.Client.prototype, 'query');
    const commit = (...script: ScriptPart[]) =>
      database.commitScript(async (reader) => ({ script, result: await reader.query('SELECT 1 AS one') }), {
        lockTimeoutMs: 500,
      });
    try {
      await database.read('SELECT 1');
      query.mockClear();
      const table = 'CREATE TABLE piece (n int CONSTRAINT one_each UNIQUE DEFERRABLE INITIALLY DEFERRED);';
      expect(await commit(table)).toEqual([{ one: 1 }]);
      expect(query).toHaveBeenCalledTimes(2);
      const parts = ['INSERT INTO piece VALUES (1);', 'INSERT INTO piece VALUES (2);'];
      await expect(commit(...parts, 'INSERT INTO piece VALUES (NULL::int / 0), (1 / 0);')).rejects.toThrow();
      expect(await database.read('SELECT n FROM piece')).toEqual([]);
      // The commit itself is refused.
      await expect(commit(...parts, 'INSERT INTO piece VALUES (1);')).rejects.toMatchObject({ kind: 'unavailable' });
      expect(await database.read('SELECT n FROM piece')).toEqual([]);
      await commit(...parts, { sql: 'INSERT INTO piece VALUES ($1)', params: [3] });
      expect(await database.read('SELECT n FROM piece ORDER BY n')).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    } finally {
      query.mockRestore();
      await database.close();
    }
  });
});

describe('A transaction of which a statement has failed', () => {
  let database: PostgresDatabase;

  beforeAll(async () => {
    database = new PostgresDatabase(new pg.Pool({ connectionString: url.href, max: 2 }));
    await database.transaction((session) => session.execute('CREATE TABLE note (n int);'));
  });
  afterAll(() => database?.close());

  // PostgreSQL then replies to a COMMIT with the tag ROLLBACK and without an error.
  const failing: Record<string, (session: SqlReader) => Promise<unknown>> = {
    'in its first statement': (session) => session.query('SELECT 1 / 0'),
    'with values': (session) => session.query('SELECT 1 / $1::int', [0]),
    'in a lock': (session) => session.query('SELECT 1 FROM nothing_of_this_name FOR UPDATE'),
  };

  it.each(Object.keys(failing))('%s is never taken for stored, though its work goes on', async (which) => {
    const tryTo = (session: SqlReader) => failing[which]!(session).catch(() => undefined);
    const bound = { sql: 'INSERT INTO note VALUES ($1)', params: [1] };
    for (const script of [null, ['INSERT INTO note VALUES (1);'], [bound]]) {
      const committed = database.commitScript(async (reader) => ({ script, result: await tryTo(reader) }));
      await expect(committed).rejects.toThrow();
    }
    const written = database.transaction(async (session) => {
      await session.query('INSERT INTO note VALUES ($1)', [2]);
      await tryTo(session);
    });
    await expect(written).rejects.toThrow();
    expect(await database.read('SELECT n FROM note')).toEqual([]);
  });

  it('says what failed, and runs again where that was a race', async () => {
    const undone = database.transaction((session) => tryTwice(session, 'SELECT 1 / 0'));
    await expect(undone).rejects.toMatchObject({ code: '22012' });
    let runs = 0;
    await database.transaction(async (session) => {
      await session.query('INSERT INTO note VALUES ($1)', [3]);
      const race = `DO $$ BEGIN RAISE EXCEPTION 'a race' USING ERRCODE = '40001'; END $$`;
      if ((runs += 1) < 3) await tryTwice(session, race);
    });
    expect([runs, await database.read('SELECT n FROM note')]).toEqual([3, [{ n: 3 }]]);
  });

  it('by a connection that was cut is not stored, and the next one works', async () => {
    const cut = database.transaction(async (session) => {
      await session.query('INSERT INTO note VALUES ($1)', [4]);
      const [backend] = await session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await withPostgres(url.href, (client) => client.query('SELECT pg_terminate_backend($1)', [backend!.pid]));
      await session.query('SELECT 1').catch(() => undefined);
    });
    await expect(cut).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await database.read('SELECT n FROM note WHERE n = $1', [4])).toEqual([]);
  });
});

/** Each statement after the first one is refused too. */
async function tryTwice(session: SqlReader, sql: string): Promise<void> {
  await session.query(sql).catch(() => undefined);
  await session.query('SELECT 1').catch(() => undefined);
}

describe('The change feed', () => {
  it('wakes whoever waits for the thread at another instance, and at its own once', async () => {
    const feeds = [0, 1].map(() => new PostgresChangeFeed(url.href, () => undefined));
    const [own, other] = feeds as [PostgresChangeFeed, PostgresChangeFeed];
    /** How often the feed was woken for a thread, without the polls that wake all of them. */
    const wakesAt = (feed: PostgresChangeFeed, pk: number) => {
      let wakes = 0;
      feed.subscribe(pk, () => (wakes += 1));
      feed.subscribe(-1, () => (wakes -= 1));
      return () => wakes;
    };
    try {
      await Promise.all(feeds.map((feed) => feed.open()));
      const many = Array.from({ length: 3000 }, (_, i) => i + 1_000_000);
      const wakes = [own, other].map((feed) => wakesAt(feed, many.at(-1)!));
      own.publish(many);
      await waitFor('the other', () => wakes[1]!() === 1);
      // The wake-up for this arrives after all earlier ones.
      const last = wakesAt(other, 7);
      own.publish([7]);
      await waitFor('the last', () => last() === 1);
      expect(wakes.map((count) => count())).toEqual([1, 1]);
    } finally {
      await Promise.all(feeds.map((feed) => feed.close()));
    }
  });
});
