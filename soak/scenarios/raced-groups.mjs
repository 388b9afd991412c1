import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Per database, and on PostgreSQL again from two servers. */
const GROUPS_A_ROUND = 100;

/** @type {import('./scenario.mjs').Scenario} */
export const racedGroups = {
  name: 'raced-groups',
  title: 'requests for one thread share a commit group, or reach two servers at once, and come out as one by one',
  databases: ['sqlite', 'postgres'],
  run,
};

/** Only a test inside the application can hold its writer, so that requests reliably share a group. */
async function run(stage) {
  const groups = stage.rounds * GROUPS_A_ROUND;
  const seed = Date.now() % 1_000_000;
  const { isPassed, output } = await test(stage, { WAYSTATION_TEST_RACES: groups, WAYSTATION_TEST_SEED: seed });
  const counts = [...output.matchAll(/(\d) servers?: groups raced (\d+), differences (\d+)/g)];
  const last = new Map(counts.map(([text, servers]) => [servers, text]));
  stage.tried(
    `${groups} groups of up to four requests with seed ${seed}, read from memory, by streams and after a restart`,
  );
  stage.expect(
    'Requests that share a group come out as in some order one by one.',
    isPassed && counts.length > 0,
    isPassed ? [...last.values()].join('; ') : output.slice(-4_000),
  );
}

async function test(stage, sizes) {
  const given = stage.database === 'postgres' ? { TEST_DATABASE_URL: (await stage.cluster()).url } : {};
  const project = `medium-${stage.database}`;
  const child = spawn(
    'npm',
    ['run', 'test:long', '--silent', '--', 'test/medium/threads/raced-groups', '--selectProjects', project],
    {
      cwd: ROOT,
      env: { ...process.env, ...given, ...sizes },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => output.push(text));
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  return { isPassed: code === 0, output: output.join('') };
}
