import { testDialect } from '../../support/dialect.js';
import { huntParts } from '../../support/part-hunt.js';

/** All rounds share one kill, because it costs the ten seconds that a new server waits for redeliveries. */
const ROUNDS = Number(process.env.WAYSTATION_TEST_PART_ROUNDS ?? 15);
const SERVERS = testDialect() === 'postgres' ? Number(process.env.WAYSTATION_TEST_PART_SERVERS ?? 2) : 1;
const SEED = Number(process.env.WAYSTATION_TEST_SEED ?? 1);

it('kill -9 between the parts of a message loses none, and each is in exactly one run, with all that came in time', async () => {
  const report = await huntParts(ROUNDS, SERVERS, SEED);
  console.info(JSON.stringify(report));
  const { lost, doubled, split, disordered } = report;
  expect({ lost, doubled, split, disordered }).toEqual({ lost: [], doubled: [], split: [], disordered: [] });
}, 3_600_000);
