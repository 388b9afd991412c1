import { newRun, waiting, type RunIds } from '../../factories/waiting.js';
import { raceOfDecisions, raceWithReport, REPORTS } from '../../support/approval-races.js';
import { approvalOf, decided, statusesOf } from '../../support/approvals.js';
import type { ApiClient } from '../../support/api-client.js';
import { testDialect } from '../../support/dialect.js';
import { EventStream } from '../../support/event-stream.js';
import { pulseOf } from '../../support/pulse.js';
import { latestPath, record, threadPath } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { siblingHome } from '../../support/storage.js';
import { useServer } from '../../support/test-server.js';

const REPETITIONS = 60;
const AT_ONCE = 4;

const first = useServer();

/** SQLite belongs to one process, so the one server plays both parts. */
const isShared = testDialect() === 'postgres';

async function repeat(times: number, race: () => Promise<void>): Promise<void> {
  for (let done = 0; done < times; done += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, race));
}

describe('On all servers of one database', () => {
  let sibling: ServerProcess | undefined;
  let second: ApiClient;

  beforeAll(async () => {
    if (isShared) {
      const env = { WAYSTATION_HOME: await siblingHome(first.storage) };
      sibling = await ServerProcess.start(first.storage, { env });
    }
    second = (sibling ?? first).api;
  });
  afterAll(() => sibling?.stop());

  if (isShared) {
    it(`exactly one of racing decisions wins, ${REPETITIONS} times out of as many`, async () => {
      await repeat(REPETITIONS, () => raceOfDecisions([first.api, second]));
    });

    it.each(REPORTS)('a decision that races %s is taken, or refused, as a whole', async (_what, reportOf) => {
      await repeat(REPETITIONS / 2, () => raceWithReport([first.api, second], reportOf));
    });
  }

  it('an agent that holds its request at one is answered within a second of a decision at the other', async () => {
    let late = 0;
    for (let round = 0; round < 10; round++) {
      const run = newRun();
      await record(first.api, waiting(run, 1));
      const { etag } = (await second.get(latestPath(run.threadId))).headers;
      const held = second
        .get(latestPath(run.threadId, { wait: '30' }), { headers: { 'if-none-match': String(etag) } })
        .then((answer) => ({ status: answer.json().status, atMs: Date.now() }));
      await decided(first.api, 'approve', run, 1);
      const decidedAtMs = Date.now();
      const [pulseMs, { status, atMs }] = await Promise.all([pulseOf(second), held]);
      expect(status).toBe('approved');
      if (atMs - decidedAtMs >= 1000 + 5 * pulseMs) late += 1;
    }
    // One may coincide with a pause of the machine.
    expect(late).toBeLessThanOrEqual(1);
  });

  it('an agent that polls one sees at once what was decided at the other, and reports there', async () => {
    const run = newRun();
    await record(first.api, waiting(run, 1));
    expect((await approvalOf(second, run, 1)).status).toBe('pending');
    await decided(second, 'reject', run, 1);
    expect((await first.api.get(latestPath(run.threadId))).json()).toMatchObject({ status: 'rejected' });
    await record(first.api, waiting(run, 1), waiting(run, 2));
    expect(await statusesOf(second, run.threadId)).toEqual(['1 rejected', '2 pending']);
  });

  it('those who watch one are told what happens at the other', async () => {
    const run = newRun();
    const isOf = ({ threadId }: RunIds, data: string) => data.includes(threadId);
    const stream = await EventStream.open(second, '/approvals/stream');
    await record(first.api, waiting(run, 1));
    await stream.until('the opening', (seen) => seen.ofType('opened').some(({ data }) => isOf(run, data)));
    const thread = await EventStream.open(second, threadPath(run.threadId, '/stream'));
    await decided(first.api, 'approve', run, 1);
    await stream.until('the closing', (seen) => seen.ofType('closed').some(({ data }) => isOf(run, data)));
    await thread.until('the decision', (seen) =>
      seen.ofType('approval').some(({ data }) => JSON.parse(data).status === 'approved'),
    );
    stream.close();
    thread.close();
  });
});
