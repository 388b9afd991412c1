import sqlite3 from 'sqlite3';
import { withPostgres, type TestStorage } from './storage.js';

/** Running servers and console sign-ins are not stored content. */
const PASSING = ['instance', 'migration', 'console_code', 'console_session'];

/** The numbers of console codes and sessions. */
export async function signedInTo(storage: TestStorage): Promise<[codes: number, sessions: number]> {
  return [(await rowsOf(storage, 'console_code')).length, (await rowsOf(storage, 'console_session')).length];
}

export function rowsOf(storage: TestStorage, table: string): Promise<Record<string, unknown>[]> {
  const { databaseUrl, sqlitePath } = storage;
  return (databaseUrl === null ? sqliteQuery(sqlitePath) : postgresQuery(databaseUrl))(`SELECT * FROM ${table}`);
}

/** All rows of all other tables, each row as one text, in an order that both databases share. */
export async function contentsOf(storage: TestStorage): Promise<Record<string, string[]>> {
  const contents: Record<string, string[]> = {};
  const query = storage.databaseUrl === null ? sqliteQuery(storage.sqlitePath) : postgresQuery(storage.databaseUrl);
  const namesSql =
    storage.databaseUrl === null
      ? `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`
      : `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()`;
  const names = (await query(namesSql)).map(({ name }) => String(name)).filter((name) => !PASSING.includes(name));
  for (const name of names.sort()) {
    const rows = await query(`SELECT * FROM ${name}`);
    contents[name] = rows.map((row) => JSON.stringify(Object.entries(row).map(comparable).sort())).sort();
  }
  return contents;
}

type Rows = Record<string, unknown>[];

/** SQLite returns booleans as numbers, PostgreSQL large integers as texts. */
function comparable([name, value]: [string, unknown]): [string, unknown] {
  if (/^is_|budget_warning|_omitted$|^enabled$|^include_answer$/.test(name)) return [name, Boolean(value)];
  return [
    name,
    /(_at|tokens|period|last_seen|change_no|fence|_pk|^pk|_ms|^uses|^uses_before|_since|_until)$/.test(name) &&
    value !== null
      ? Number(value)
      : value,
  ];
}

function postgresQuery(url: string): (sql: string) => Promise<Rows> {
  return (sql) => withPostgres(url, async (client) => (await client.query(sql)).rows as Rows);
}

function sqliteQuery(file: string): (sql: string) => Promise<Rows> {
  return (sql) =>
    new Promise((resolve, reject) => {
      const database = new sqlite3.Database(file, (openError) => {
        if (openError) return reject(openError);
        database.all<Record<string, unknown>>(sql, (error, rows) =>
          database.close(() => (error ? reject(error) : resolve(rows))),
        );
      });
    });
}
