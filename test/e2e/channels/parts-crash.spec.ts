import { testDialect } from '../../support/dialect.js';
import { huntParts } from '../../support/part-hunt.js';

/** One kill. `parts-hunt.spec.ts` has many more; each costs the ten seconds that a new server waits for what is delivered again. */
const ROUNDS = 15;

it('kill -9 between the parts of a message loses none, and each is in exactly one run', async () => {
  const servers = testDialect() === 'postgres' ? 2 : 1;
  const { lost, doubled, split, disordered } = await huntParts(ROUNDS, servers, 1);
  expect({ lost, doubled, split, disordered }).toEqual({ lost: [], doubled: [], split: [], disordered: [] });
});
