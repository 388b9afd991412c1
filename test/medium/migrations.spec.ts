import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../src/database/data-source.options.js';
import { migrateDown, migrateUp } from '../../src/database/migrator.js';
import { MIGRATIONS } from '../../src/database/migrations.js';
import { ENTITIES } from '../../src/entities.js';
import { freshStorage, type TestStorage } from '../support/storage.js';
import { contentsOf } from '../support/table-contents.js';

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

/** Names of all tables and indexes except those of the migrations table itself. */
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

  it('give checkpoints whose lists go on from other rows their whole lists back', async () => {
    await migrateUp(location());
    await withSource(async (source) => {
      await source.query(`INSERT INTO thread(id, pk, last_seq, next_message, next_meta, run_count, current_run, latest_seq, status, model,
        agents, open_runs, pending_approvals, total_tokens, total_cost_usd, started_at, updated_at)
        VALUES ('t', 1, 4, 99, 99, 1, 1, 4, 'in_progress', '', '[]', 1, 0, 0, 0, 0, 0)`);
      const rows = [
        `1, '0,2,4,6-9', NULL, NULL, '1-3', NULL, NULL`,
        `2, '20,22', 1, 5, '', NULL, NULL`,
        `3, '30', 2, 8, '7', 1, 3`,
        `4, '40', 2, 3, '8', 3, 5`,
      ];
      const names =
        'seq, history, history_from, history_from_length, history_meta, history_meta_from, history_meta_from_length';
      for (const row of rows) {
        await source.query(`INSERT INTO checkpoint(${names}, thread_pk, run_no, attempt, step_index, is_current, is_initial, digest, status,
          agent_id, model, tokens_used, input_tokens, output_tokens, turn_start_history_len, run_cost_usd, budget_usd, budget_warning,
          history_length, rev, created_at, updated_at)
          VALUES (${row}, 1, 1, 1, ${row[0]}, TRUE, FALSE, '', '', '', '', 0, 0, 0, 0, 0, 0, FALSE, 0, 1, 0, 0)`);
      }
    });
    while (!/^ContinuedLists/.test((await migrateDown(location()))!));
    const lists = await withSource((source) =>
      source.query('SELECT history, history_meta FROM checkpoint ORDER BY seq'),
    );
    expect(lists).toEqual([
      { history: '0,2,4,6-9', history_meta: '1-3' },
      { history: '0,2,4,20,22', history_meta: '' },
      { history: '0,2,4,20,30', history_meta: '1-3,7' },
      { history: '0,2,40', history_meta: '1-3,7,8' },
    ]);
  });

  it('that a program does not know keep it from changing anything', async () => {
    await migrateUp(location());
    const before = await contentsOf(storage);
    for (const migrate of [migrateUp, migrateDown]) {
      const failure = migrate(location(), MIGRATIONS.slice(0, -2));
      await expect(failure).rejects.toMatchObject({
        code: 'storage_newer',
        message: expect.stringContaining(all.slice(-2).join(', ')),
      });
    }
    expect(await contentsOf(storage)).toEqual(before);
  });

  it('are in the order of their time stamps', () => {
    const stamps = all.map((name) => Number(/\d{13}$/.exec(name)?.[0]));
    expect(stamps).toEqual([...stamps].sort((a, b) => a - b));
    expect(new Set(stamps).size).toBe(stamps.length);
  });
});
