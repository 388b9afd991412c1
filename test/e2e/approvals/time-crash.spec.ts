import { asking, COLOUR, questionCall } from '../../factories/asking.js';
import { newRun, REFUND, waiting, type RunIds } from '../../factories/waiting.js';
import { approvalOf } from '../../support/approvals.js';
import { testDialect } from '../../support/dialect.js';
import { EventStream } from '../../support/event-stream.js';
import { latestOf, record } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { changeStored, siblingHome } from '../../support/storage.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const first = useServer();

/** SQLite belongs to one process. */
const siblings: ServerProcess[] = [];
beforeAll(async () => {
  for (let i = 0; i < (testDialect() === 'postgres' ? 2 : 0); i++)
    siblings.push(
      await ServerProcess.start(first.storage, { env: { WAYSTATION_HOME: await siblingHome(first.storage) } }),
    );
});
afterAll(() => Promise.all(siblings.map((sibling) => sibling.stop())));

const RUNS = 60;
const newRuns = () => Array.from({ length: RUNS }, () => newRun());

/** The number of events for each run. */
function countsOf(stream: EventStream, type: string, runs: readonly RunIds[]): number[] {
  const told = stream.ofType(type);
  return runs.map(({ traceId }) => told.filter(({ data }) => data.includes(traceId)).length);
}

it('questions that need nobody are answered by their defaults, once, whatever server is killed meanwhile', async () => {
  const runs = newRuns();
  const optional = { id: 'why', text: 'Why?', required: false };
  const calls = [questionCall([{ ...COLOUR, default: 'b' }, optional]), questionCall([optional], { id: 'c2' })];
  const stream = siblings[0] && (await EventStream.open(siblings[0].api, '/approvals/stream'));
  await record(first.api, ...runs.map((run) => asking(run, 1, calls, { approval_timeout_seconds: 1 })));
  await waitFor('the first of them', async () => (await approvalOf(first.api, runs[0]!, 1)).status !== 'pending');
  await first.process.kill();
  await first.restart();
  for (const run of runs) {
    await waitFor('its end', async () => (await approvalOf(first.api, run, 1)).status !== 'pending');
    const { tool_calls: closed, ...rest } = await approvalOf(first.api, run, 1);
    expect(rest).toMatchObject({ status: 'approved', decided_through: 'default', decided_by: null });
    expect(closed).toMatchObject([
      { decision: 'answer', answers: { q0: 'b' } },
      { decision: 'answer', answers: {} },
    ]);
    expect(await latestOf(first.api, run.threadId)).toMatchObject({ status: 'approved' });
  }
  if (!stream) return;
  await stream.until('all closings', () => !countsOf(stream, 'closed', runs).includes(0));
  expect(new Set(countsOf(stream, 'closed', runs))).toEqual(new Set([1]));
  stream.close();
});

it.each([
  ['a question without a default', [questionCall()]],
  ['a call beside a question', [questionCall([{ ...COLOUR, default: 'b' }]), REFUND]],
  ['a call', [REFUND]],
])('time never answers %s', async (_what, calls) => {
  const run = newRun();
  await record(first.api, asking(run, 1, calls, { approval_timeout_seconds: 0.2 }));
  await waitFor('its end', async () => (await approvalOf(first.api, run, 1)).status !== 'pending');
  expect(await approvalOf(first.api, run, 1)).toMatchObject({ status: 'expired', decided_through: 'expiry' });
  expect(await latestOf(first.api, run.threadId)).toMatchObject({ status: 'rejected' });
});

it('people are reminded once for each time that comes, whatever server is killed meanwhile', async () => {
  const runs = newRuns();
  const silent = newRun();
  const reminders = { approval_remind_seconds: [3600, 7200] };
  await record(first.api, ...runs.map((run) => waiting(run, 1, reminders)), waiting(silent, 1));
  const before = await latestOf(first.api, runs[0]!.threadId);
  const stream = siblings[0] && (await EventStream.open(siblings[0].api, '/approvals/stream'));
  await stream?.until('all openings', () => !countsOf(stream, 'opened', runs).includes(0));
  await first.process.kill();
  await changeStored(first.storage, `UPDATE approval SET remind_at = 1 WHERE remind_at IS NOT NULL AND reminded = 0`);
  await first.restart();
  await waitFor('the first of them', async () => (await approvalOf(first.api, runs[0]!, 1)).reminded !== 0);
  await first.process.kill();
  await first.restart();
  const remindedOf = async (run: RunIds) => (await approvalOf(first.api, run, 1)).reminded;
  for (const run of runs) await waitFor('its reminder', async () => (await remindedOf(run)) !== 0);
  expect(await Promise.all(runs.map(remindedOf))).toEqual(runs.map(() => 1));
  expect(await remindedOf(silent)).toBe(0);
  expect(await approvalOf(first.api, runs[0]!, 1)).toMatchObject({ status: 'pending' });
  expect(await latestOf(first.api, runs[0]!.threadId)).toEqual(before);
  if (!stream) return;
  await stream.until('all reminders', () => !countsOf(stream, 'reminder', runs).includes(0));
  expect(new Set(countsOf(stream, 'reminder', runs))).toEqual(new Set([1]));
  expect(countsOf(stream, 'opened', runs).every((count) => count === 1)).toBe(true);
  stream.close();
});
