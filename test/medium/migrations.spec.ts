import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../src/database/data-source.options.js';
import { migrateDown, migrateUp } from '../../src/database/migrator.js';
import { MIGRATIONS } from '../../src/database/migrations.js';
import { ENTITIES } from '../../src/entities.js';
import { freshStorage, type TestStorage } from '../support/storage.js';

let storage: TestStorage;

beforeEach(async () => {
  storage = await freshStorage();
});
afterEach(() => storage.dispose());

const location = () => ({ url: storage.databaseUrl, sqlitePath: storage.sqlitePath });

async function withSource<T>(work: (source: DataSource) => Promise<T>): Promise<T> {
  const source = await new DataSource(dataSourceOptions(location(), ENTITIES)).initialize();
  try {
    return await work(source);
  } finally {
    await source.destroy();
  }
}

/** Names of all tables and indexes but those of the list of migrations itself. */
async function objectsIn(source: DataSource): Promise<string[]> {
  const sql =
    storage.dialect === 'sqlite'
      ? `SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'`
      : `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = 'public' AND c.relkind IN ('r', 'i', 'S', 'v', 'm', 'p')
         UNION ALL SELECT p.proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = 'public'`;
  const rows: { name: string }[] = await source.query(sql);
  return rows
    .map(({ name }) => name)
    .filter((name) => !/^(PK_.*|migration(_id_seq)?)$/.test(name))
    .sort();
}

async function downToNothing(): Promise<string[]> {
  const names: string[] = [];
  for (let name = await migrateDown(location()); name !== null; name = await migrateDown(location())) names.push(name);
  return names;
}

describe('The migrations', () => {
  const all = MIGRATIONS.map(({ name }) => name);

  it('build the schema from nothing, and have nothing to do the second time', async () => {
    expect(await migrateUp(location())).toEqual(all);
    expect(await migrateUp(location())).toEqual([]);
  });

  it('make exactly the schema that the entities describe', async () => {
    await migrateUp(location());
    const { upQueries } = await withSource((source) => source.driver.createSchemaBuilder().log());
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('can all be taken back, which leaves nothing, and be done again', async () => {
    await migrateUp(location());
    const before = await withSource(objectsIn);
    expect(await downToNothing()).toEqual([...all].reverse());
    expect(await withSource(objectsIn)).toEqual([]);
    expect(await migrateUp(location())).toEqual(all);
    expect(await withSource(objectsIn)).toEqual(before);
  });

  it('are in the order of their time stamps', () => {
    const stamps = all.map((name) => Number(/\d{13}$/.exec(name)?.[0]));
    expect(stamps).toEqual([...stamps].sort((a, b) => a - b));
    expect(new Set(stamps).size).toBe(stamps.length);
  });
});
