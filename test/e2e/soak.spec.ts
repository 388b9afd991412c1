import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { testDialect } from '../support/dialect.js';
import { postgresUrl } from '../support/storage.js';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const LIMIT_MS = 900_000;

/** What the soak found of one promise; see soak/README.md. */
interface Finding {
  scenario: string;
  promised: string;
  seen: string;
  outcome: 'kept' | 'broken' | 'not tried';
}

/**
 * Kills on SQLite are hunted in crash.spec.ts, hostile bodies in bad-input/hostile-bodies.spec.ts, races of decisions in
 * approvals/instances.spec.ts, each with more rounds.
 */
const SCENARIOS = {
  sqlite: ['disk-full', 'sqlite-file', 'clients', 'large-bodies', 'growth', 'traffic', 'stored-threads', 'effects'],
  postgres: [
    ...['start-at-once', 'spread', 'leases', 'done-once', 'rolling-restart', 'lost-instance', 'lost-dispatcher'],
    ...['kills', 'database-away', 'connection-slots', 'locked-rows', 'effects'],
  ],
};

/** The short forms of the soak, in the soak's own process: what it promises must hold at every change. */
describe('The promises of the soak', () => {
  let findings: Finding[] = [];
  const file = path.join(tmpdir(), `waystation-test-soak-${process.pid}.json`);

  beforeAll(async () => {
    await runShortForms(file);
    ({ findings } = JSON.parse(await readFile(file, 'utf8')) as { findings: Finding[] });
  }, LIMIT_MS);
  afterAll(() => rm(file, { force: true }));

  it.each(SCENARIOS[testDialect()])('are kept: %s', (scenario) => {
    const own = findings.filter((finding) => finding.scenario === scenario);
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter(({ outcome }) => outcome === 'broken')).toEqual([]);
    for (const { promised, seen, outcome } of own)
      if (outcome === 'not tried') console.warn(`Not tried: ${promised} ${seen}`);
  });
});

/** Exits with 1 when a promise was broken; which one is for the tests to say. */
function runShortForms(file: string): Promise<void> {
  const dialect = testDialect();
  const given = dialect === 'postgres' ? { TEST_DATABASE_URL: postgresUrl() } : {};
  const only = SCENARIOS[dialect].join(',');
  const args = ['soak/run.mjs', '--short', '--databases', dialect, '--only', only, '--json', file];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd: PROJECT, env: { ...process.env, ...given } }, (error, output) => {
      if (error && error.code !== 1) reject(new Error(output, { cause: error }));
      else resolve();
    });
  });
}
