import { raceOfDecisions, raceWithReport, REPORTS } from '../../support/approval-races.js';
import { useSharedServer } from '../../support/shared-server.js';

const REPETITIONS = 60;
const AT_ONCE = 6;

const server = useSharedServer();

/** Several races at a time, so that they also share transactions. */
async function repeat(times: number, race: () => Promise<void>): Promise<void> {
  for (let done = 0; done < times; done += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, race));
}

describe('On one server', () => {
  it(`exactly one of racing decisions wins, ${REPETITIONS} times out of as many`, async () => {
    await repeat(REPETITIONS, () => raceOfDecisions([server.api]));
  });

  it.each(REPORTS)('a decision that races %s is taken, or refused, as a whole', async (_what, reportOf) => {
    await repeat(REPETITIONS / 2, () => raceWithReport([server.api, server.api], reportOf));
  });
});
