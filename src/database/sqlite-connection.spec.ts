import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SqliteConnection } from './sqlite-connection.js';

describe('A connection to SQLite', () => {
  let folder: string;
  let connection: SqliteConnection;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'waystation-test-'));
    connection = await SqliteConnection.open(path.join(folder, 'some.db'), 'write');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('can be closed after the same statement was asked for many times at once', async () => {
    const asked = Array.from({ length: 20 }, (_, n) => connection.query<{ n: number }>('SELECT $1 AS n', [n]));
    expect((await Promise.all(asked)).map(([row]) => row?.n)).toEqual(Array.from({ length: 20 }, (_, n) => n));
    await connection.close();
  });

  it('answers whoever asks while a statement is being forgotten, and can then be closed', async () => {
    const asked = Array.from({ length: 500 }, (_, n) => connection.query<{ n: number }>(`SELECT $1 + ${n} AS n`, [1]));
    expect((await Promise.all(asked)).map(([row]) => row?.n)).toEqual(Array.from({ length: 500 }, (_, n) => n + 1));
    await connection.close();
  });

  it('asks again for a statement that could not be prepared', async () => {
    await expect(connection.query('SELECT a FROM later WHERE a = $1', [1])).rejects.toThrow('no such table');
    await connection.execute('CREATE TABLE later (a INTEGER); INSERT INTO later VALUES (1)');
    expect(await connection.query('SELECT a FROM later WHERE a = $1', [1])).toEqual([{ a: 1 }]);
    await connection.close();
  });
});
