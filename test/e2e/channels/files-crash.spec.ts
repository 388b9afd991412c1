import { huntFiles } from '../../support/file-hunt.js';

/** More with `WAYSTATION_TEST_KILLS`. */
const ROUNDS = Number(process.env.WAYSTATION_TEST_KILLS ?? 4);
const SEED = Number(process.env.WAYSTATION_TEST_SEED ?? 1);

it('the death of server, agent process and platforms sends no file twice, and each once unless its fate is unknown', async () => {
  const report = await huntFiles(ROUNDS, SEED);
  console.info(JSON.stringify(report));
  const { twice, damaged, lost } = report;
  expect({ twice, damaged, lost }).toEqual({ twice: [], damaged: [], lost: [] });
}, 3_600_000);
