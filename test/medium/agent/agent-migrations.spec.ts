import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DataSource } from 'typeorm';
import { AGENT_ENTITIES } from '../../../src/agent-entities.js';
import { AGENT_MIGRATIONS } from '../../../src/database/agent-migrations.js';
import { dataSourceOptions, type StorageLocation } from '../../../src/database/data-source.options.js';
import { migrateDown, migrateUp } from '../../../src/database/migrator.js';

let folder: string;
let location: StorageLocation;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waystation-agent-'));
  location = { url: null, sqlitePath: path.join(folder, 'agent.db') };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function inspect<T>(work: (source: DataSource) => Promise<T>): Promise<T> {
  const source = await new DataSource(dataSourceOptions(location, AGENT_ENTITIES, AGENT_MIGRATIONS)).initialize();
  try {
    return await work(source);
  } finally {
    await source.destroy();
  }
}

describe("The migrations of the agent process's state", () => {
  const all = AGENT_MIGRATIONS.map(({ name }) => name);

  it('make exactly the schema that the entities describe', async () => {
    expect(await migrateUp(location, AGENT_MIGRATIONS)).toEqual(all);
    expect(await migrateUp(location, AGENT_MIGRATIONS)).toEqual([]);
    const { upQueries } = await inspect((source) => source.driver.createSchemaBuilder().log());
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('can all be taken back, which leaves nothing', async () => {
    await migrateUp(location, AGENT_MIGRATIONS);
    for (const name of [...all].reverse()) expect(await migrateDown(location, AGENT_MIGRATIONS)).toBe(name);
    const tables = await inspect((source) =>
      source.query(`SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' AND name <> 'migration'`),
    );
    expect(tables).toEqual([]);
    expect(await migrateUp(location, AGENT_MIGRATIONS)).toEqual(all);
  });
});
