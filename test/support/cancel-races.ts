import { completed, failed } from '../factories/events.js';
import { newRun, waiting, working } from '../factories/waiting.js';
import type { Answer, ApiClient } from './api-client.js';
import { approvalOf, decide } from './approvals.js';
import { cancel } from './cancel.js';
import { detailOf, EVENTS, latestOf, ok } from './recording.js';

type Servers = readonly [ApiClient, ApiClient];

/** Two people cancel at the same moment, through different servers if there are two: both get the same response. */
export async function raceOfCancellations([one, other]: Servers): Promise<void> {
  const run = newRun('cancel-race');
  await post(one, working(run, 0), waiting(run, 1));
  const answers = await Promise.all([one, other].map((api) => cancel(api, run.threadId, run.traceId)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers[0]!.json()).toEqual(answers[1]!.json());
  expect(await statusesOf(other, run)).toEqual(['cancelled', 'cancelled', 'cancelled']);
}

/** A run is cancelled at the moment its agent ends it: one of them wins, and everybody sees the same. */
export async function raceWithEnding([one, other]: Servers): Promise<void> {
  const run = newRun('cancel-race');
  await post(one, working(run, 0));
  const end = completed(run.threadId, { trace_id: run.traceId });
  const [answer, report] = await Promise.all([
    cancel(one, run.threadId, run.traceId),
    other.post(EVENTS, { events: [end] }).then((posted) => ok(posted)),
  ]);
  const winner = answer.status === 200 ? 'cancelled' : 'completed';
  expect([answer.status, report.json().control !== undefined]).toEqual(
    winner === 'cancelled' ? [200, true] : [409, false],
  );
  for (const api of [one, other]) expect(await statusesOf(api, run)).toEqual([winner, winner, winner]);
  await post(other, failed(run.threadId, { trace_id: run.traceId, error: 'late' }));
  if (winner === 'cancelled') expect(await statusesOf(one, run)).toEqual([winner, winner, winner]);
}

/** A run is cancelled at the moment a person approves its tool calls: it ends cancelled, and the record says who was first. */
export async function raceWithDecision([one, other]: Servers): Promise<void> {
  const run = newRun('cancel-race');
  await post(one, working(run, 0), waiting(run, 1));
  const [cancelled, decision] = await Promise.all([
    cancel(one, run.threadId, run.traceId),
    decide(other, 'approve', run, 1),
  ]);
  expect(cancelled.status).toBe(200);
  const expected = decision.status === 200 ? 'approved' : 'superseded';
  expect([decision.status, (await approvalOf(one, run, 1)).status]).toEqual([
    expected === 'approved' ? 200 : 409,
    expected,
  ]);
  for (const api of [one, other]) {
    expect(await statusesOf(api, run)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect((await latestOf(api, run.threadId)).approval).toMatchObject({ status: expected });
  }
}

function post(api: ApiClient, ...events: object[]): Promise<Answer> {
  return api.post(EVENTS, { events }).then((answer) => ok(answer));
}

/** The status of the thread, its run and the latest checkpoint. */
async function statusesOf(api: ApiClient, { threadId }: { threadId: string }): Promise<unknown[]> {
  const detail = (await detailOf(api, threadId)) as { status: string; run_list: { status: string }[] };
  return [detail.status, ...detail.run_list.map(({ status }) => status), (await latestOf(api, threadId)).status];
}
