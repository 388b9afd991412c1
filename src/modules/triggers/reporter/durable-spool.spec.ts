import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AGENT_MIGRATIONS } from '../../../database/agent-migrations.js';
import { migrateUp } from '../../../database/migrator.js';
import { SqliteDatabase } from '../../../database/sqlite-database.js';
import { DurableSpool } from './durable-spool.js';
import { SpoolRepository } from './spool.repository.js';

let folder: string;
let sqlitePath: string;
let database: SqliteDatabase;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waystation-spool-'));
  sqlitePath = path.join(folder, 'agent.db');
  await migrateUp({ url: null, sqlitePath }, AGENT_MIGRATIONS);
  database = await SqliteDatabase.open(sqlitePath);
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

const open = (maxBytes = 1e6) => DurableSpool.open(new SpoolRepository(database), maxBytes);
const event = (text: string) => ({ threadId: 't', text });
const texts = async (spool: DurableSpool) => (await spool.peek(100, 1e9)).map(({ text }) => text);

describe('The spool on disk', () => {
  it('gives events back in their order, over the end of the process', async () => {
    await (await open()).append([event('a'), event('b')]);
    await database.close();
    database = await SqliteDatabase.open(sqlitePath);
    const spool = await open();
    await spool.append([event('c')]);
    expect(await texts(spool)).toEqual(['a', 'b', 'c']);
  });

  it('never gives a key twice, so that a late answer removes nothing new', async () => {
    const spool = await open();
    await spool.append([event('a')]);
    const [first] = await spool.peek(1, 1e9);
    await spool.remove([first!.key]);
    await spool.append([event('b')]);
    await spool.remove([first!.key]);
    expect(await texts(spool)).toEqual(['b']);
  });

  it('keeps the newest when it is full, what an earlier process left included', async () => {
    await (await open()).append([event('1111'), event('2222')]);
    const spool = await open(10);
    expect(await spool.append([event('3333')])).toBe(1);
    expect(await texts(spool)).toEqual(['2222', '3333']);
    expect(await spool.append([event('too large for it')])).toBe(2);
    expect(await texts(spool)).toEqual(['too large for it']);
  });

  it('makes room for many small ones', async () => {
    const spool = await open(1000);
    await spool.append(Array.from({ length: 250 }, (_, n) => event(String(n).padStart(4, '0'))));
    expect(await spool.append([event('x'.repeat(960))])).toBe(240);
  });

  it('takes events together with what they stand for, or not at all', async () => {
    const spool = await open(10);
    await spool.append([event('1111')]);
    const broken = spool.append([event('2222')], () => Promise.reject(new Error('something else failed')));
    await expect(broken).rejects.toThrow('something else failed');
    expect(await texts(spool)).toEqual(['1111']);
  });

  it('counts only what was committed', async () => {
    const spool = await open(10);
    await spool.append([event('1111')]);
    await failingCommits(() => spool.append([event('2222')]));
    await failingCommits(() => spool.append([event('0123456789')]));
    expect(await spool.append([event('2222')])).toBe(0);
    expect(await texts(spool)).toEqual(['1111', '2222']);
  });

  it('keeps to its limit however appending and removing overlap', async () => {
    const spool = await open(1000);
    const storm: Promise<unknown>[] = [];
    for (let round = 0; round < 50; round++) {
      const [oldest] = await spool.peek(1, 1e9);
      storm.push(spool.append([event('x'.repeat(40))]));
      if (oldest) storm.push(spool.remove([oldest.key]));
      storm.push(spool.append([event('y'.repeat(40))]));
    }
    await Promise.all(storm);
    expect(await new SpoolRepository(database).totalBytes()).toBeLessThanOrEqual(1000);
    await spool.remove((await spool.peek(100, 1e9)).map(({ key }) => key));
    expect(await spool.append(Array.from({ length: 10 }, () => event('z'.repeat(100))))).toBe(0);
    expect(await spool.append([event('z')])).toBe(1);
  });
});

/** As on a full disk at commit time. */
async function failingCommits(work: () => Promise<unknown>): Promise<void> {
  const { transaction } = database;
  database.transaction = (inner) =>
    transaction.call(database, async (session) => {
      await inner(session);
      throw new Error('disk full');
    }) as never;
  await expect(work()).rejects.toThrow('disk full');
  database.transaction = transaction;
}
