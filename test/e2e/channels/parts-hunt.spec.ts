import { testDialect } from '../../support/dialect.js';
import { huntParts } from '../../support/part-hunt.js';

const ROUNDS = Number(process.env.WAYSTATION_TEST_PART_ROUNDS ?? 300);

it.each(testDialect() === 'postgres' ? [1, 3] : [1])(
  'kill -9 between the parts of a message, many times, with %i servers: each part is in exactly one run',
  async (servers) => {
    const report = await huntParts(ROUNDS, servers, Number(process.env.WAYSTATION_TEST_SEED ?? 7));
    console.log(JSON.stringify({ servers, ...report }));
    const { lost, doubled, split, disordered } = report;
    expect({ lost, doubled, split, disordered }).toEqual({ lost: [], doubled: [], split: [], disordered: [] });
  },
  3_600_000,
);
