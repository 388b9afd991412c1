import { setTimeout as pause } from 'node:timers/promises';
import { latestPath, threadPath } from './api.mjs';
import { runCommand } from './command.mjs';
import { LiveLog } from './live-log.mjs';
import { chapter, check, say, shout } from './pages.mjs';

const PATIENCE_MS = 15_000;

/** A webhook starts a run, which waits for a person and is approved. */
export async function approvedRun(server, api, service, threadId) {
  chapter(
    '1. A webhook starts an agent, which asks before it pays',
    `waystation agent ${service.file} runs. Its agent may pay money back, if a person approves.`,
  );
  const run = await startRun(api, service, threadId);
  const step = await untilWaiting(api, run);
  say(`npx waystation approve ${run.traceId} ${step} --reason "parcel is lost"`);
  await runCommand(server, ['approve', run.traceId, String(step), '--reason', 'parcel is lost']);
  check(await untilCompleted(run), 'the stream told that the run is completed');
  await run.live.close();
  await checkWhole(api, run, 'You get 19.99 back.');
}

/** The same, with the agent process killed while the run waits. Another process continues it. */
export async function resumedRun(server, api, service, threadId) {
  chapter('2. The agent process dies, and the run goes on', 'Another customer, the same webhook.');
  const run = await startRun(api, service, threadId);
  const step = await untilWaiting(api, run);
  await service.kill();
  shout('kill -9: the agent process is gone, in the midst of the run.');
  say(`waystation agent ${service.file} is started again.`);
  await service.start();
  const isTakenUp = await service.hasLogged('runs were interrupted');
  check(isTakenUp, 'it ended the program that was left over, and started it again with what it had saved');
  say(`npx waystation reject ${run.traceId} ${step} --reason "paid back last week"`);
  await runCommand(server, ['reject', run.traceId, String(step), '--reason', 'paid back last week']);
  check(await untilCompleted(run), 'the stream, open all the time, told that the run is completed');
  await run.live.close();
  await checkWhole(api, run, 'A colleague decided that I cannot pay this back.');
}

async function startRun(api, service, threadId) {
  const body = { message: 'My parcel never came.', thread_id: threadId };
  say(`curl -H 'Content-Type: application/json' -d '${JSON.stringify(body)}' ${service.url}/refund`);
  console.log('');
  const traceId = await service.post('/refund', body);
  await until(async () => (await api.get(latestPath(threadId))).status === 200);
  return { threadId, traceId, live: await LiveLog.follow(api, threadPath(threadId, '/stream')) };
}

/** Returns the step that waits for a person. */
async function untilWaiting(api, { threadId, traceId, live }) {
  const isWaiting = await live.until(
    ({ type, data }) => type === 'checkpoint' && data.status === 'waiting_for_approval',
  );
  const { items } = (await api.get(`/approvals?${new URLSearchParams({ thread_id: threadId })}`)).json();
  const [call] = items[0]?.tool_calls ?? [];
  console.log('');
  check(
    isWaiting && items[0]?.trace_id === traceId,
    `approvals: ${call?.name} ${JSON.stringify(call?.args)} waits for a person`,
  );
  return items[0]?.step;
}

function untilCompleted({ live, traceId }) {
  return live.until(({ type, data }) => type === 'status' && data.status === 'completed' && data.trace_id === traceId);
}

async function checkWhole(api, { threadId }, answer) {
  const { items } = (await api.get(threadPath(threadId, '/checkpoints'))).json();
  check(
    items.map(({ step_index }) => step_index).join() === '0,1,2',
    'checkpoints: steps 0, 1 and 2, none lost and none twice',
  );
  check(items.at(-1)?.history.at(-1)?.content === answer, `latest: "${answer}"`);
}

async function until(isSo) {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error('The run did not begin.');
    await pause(20);
  }
}
