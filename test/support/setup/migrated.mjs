// Empty databases with all tables, created once by the built program; tests copy them, so servers need not create the tables.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const SCRATCH = path.join(ROOT, '.tmp');
const FILE = path.join(SCRATCH, 'migrated.db');
const TEMPLATE = 'waystation_migrated';

/** Workers find it through the environment. A concurrent run creates the same; a later one of this process may have another build. */
export function migrateFile() {
  const build = String(statSync(path.join(ROOT, 'dist', 'licenses.txt')).mtimeMs);
  if (process.env.WAYSTATION_TEST_MIGRATED_BY === build) return;
  mkdirSync(SCRATCH, { recursive: true });
  const home = mkdtempSync(path.join(SCRATCH, 'migrated-'));
  try {
    migrate(home, {});
    renameSync(path.join(home, 'waystation.db'), FILE);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  process.env.WAYSTATION_TEST_MIGRATED_FILE = FILE;
  process.env.WAYSTATION_TEST_MIGRATED_BY = build;
}

/** @param {string} adminUrl of a cluster that ends with the run */
export async function migrateTemplate(adminUrl) {
  if (process.env.WAYSTATION_TEST_TEMPLATE_OF === adminUrl) return;
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  const home = mkdtempSync(path.join(SCRATCH, 'migrated-'));
  try {
    await client.query(`CREATE DATABASE ${TEMPLATE}`);
    const url = new URL(adminUrl);
    url.pathname = `/${TEMPLATE}`;
    migrate(home, { DATABASE_URL: url.href });
    // It can be copied only while nobody uses it.
    await client.query(`ALTER DATABASE ${TEMPLATE} WITH IS_TEMPLATE true ALLOW_CONNECTIONS false`);
  } finally {
    await client.end();
    rmSync(home, { recursive: true, force: true });
  }
  process.env.WAYSTATION_TEST_TEMPLATE = TEMPLATE;
  process.env.WAYSTATION_TEST_TEMPLATE_OF = adminUrl;
}

function migrate(home, own) {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, WAYSTATION_HOME: home, ...own };
  // Not in the checkout: the `.env` there may name a database that people use.
  const options = { cwd: home, env, encoding: 'utf8' };
  const done = spawnSync(process.execPath, [path.join(ROOT, 'dist', 'cli.js'), 'migrate'], options);
  if (done.status !== 0) throw new Error(`The databases of the tests could not be made: ${done.stderr}${done.stdout}`);
}
