import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { testDialect } from '../support/dialect.js';
import { postgresUrl } from '../support/storage.js';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const LIMIT_MS = 900_000;

/** The soak's finding about one promise; see soak/README.md. */
interface Finding {
  scenario: string;
  promised: string;
  seen: string;
  outcome: 'kept' | 'broken' | 'not tried';
}

/**
 * crash.spec.ts covers kills on SQLite, bad-input/hostile-bodies.spec.ts hostile bodies, approvals/instances.spec.ts races of decisions,
 * each with more rounds.
 */
const SCENARIOS = {
  sqlite: ['disk-full', 'sqlite-file', 'clients', 'large-bodies', 'growth', 'traffic', 'stored-threads', 'effects'],
  postgres: [
    ...['start-at-once', 'spread', 'leases', 'done-once', 'rolling-restart', 'lost-instance', 'lost-dispatcher'],
    ...['kills', 'database-away', 'connection-slots', 'locked-rows', 'effects'],
  ],
};

/** Short forms of the soak in its own process: its promises must hold after every change. */
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

/** Exits with 1 if a promise was broken; the tests say which one. */
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
