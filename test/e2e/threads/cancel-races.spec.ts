import { raceOfCancellations, raceWithDecision, raceWithEnding } from '../../support/cancel-races.js';
import { testDialect } from '../../support/dialect.js';
import { ServerProcess } from '../../support/server-process.js';
import { siblingHome } from '../../support/storage.js';
import { useServer } from '../../support/test-server.js';

const REPETITIONS = 60;
const AT_ONCE = 6;

const server = useServer();

/** Several races at a time, so that they also share transactions. */
async function repeat(race: () => Promise<void>): Promise<void> {
  for (let done = 0; done < REPETITIONS; done += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, race));
}

describe('A run that is cancelled', () => {
  let other: ServerProcess | null = null;

  beforeAll(async () => {
    if (testDialect() !== 'postgres') return;
    const env = { WAYSTATION_HOME: await siblingHome(server.storage) };
    other = await ServerProcess.start(server.storage, { env });
  });
  afterAll(async () => {
    await other?.stop();
  });

  const servers = () => [server.api, other?.api ?? server.api] as const;

  it('by two people at once gives both the same answer', async () => {
    await repeat(() => raceOfCancellations(servers()));
  });

  it('while its agent ends it has exactly one of both ends', async () => {
    await repeat(() => raceWithEnding(servers()));
  });

  it('while somebody approves its tool calls ends cancelled, and the decision holds or is refused', async () => {
    await repeat(() => raceWithDecision(servers()));
  });
});
