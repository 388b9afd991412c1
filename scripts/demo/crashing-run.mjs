import { latestPath, listsOf, threadPath } from './api.mjs';
import { LiveLog } from './live-log.mjs';
import { ObservedAgent } from './observed-agent.mjs';
import { chapter, check, say, shout } from './pages.mjs';

const CONVERSATION = 'slow-checkout.json';
const PARENT = 'investigator';
const CHILD = 'log-reader';

/** A run that is killed midway, and continues. */
export async function crashingRun(server, api, threadId) {
  chapter(
    '3. A program that keeps its own record crashes, and goes on',
    `${PARENT} looks for the cause of a slow checkout. It hands a log search to ${CHILD}, which reports into the`,
    'same thread under a trace of its own. In the midst of that search the process is killed.',
  );
  const first = new ObservedAgent(server, CONVERSATION, threadId);
  await first.until(({ opened }) => opened.length > 0);
  const live = await LiveLog.follow(api, threadPath(threadId, '/stream'));
  await crash(first, live);
  await checkAfterCrash(api, threadId, first);
  const second = await resume(server, threadId, first);
  const parentTrace = first.opened[0].traceId;
  const isEnd = ({ type, data }) => type === 'status' && data.status === 'completed' && data.trace_id === parentTrace;
  check(await live.until(isEnd), 'the stream, open all the time, told that the run is completed');
  await live.close();
  await checkEnd(api, threadId, { first, second });
  await checkReplay(api, threadId, second.saved.at(-1));
}

/** Kills the agent while its sub-agent waits for the model. */
async function crash(agent, live) {
  await agent.until(() => agent.savedBy(CHILD).length >= 2);
  const { step_index, trace_id } = agent.savedBy(CHILD).at(-1);
  await live.until(
    ({ type, data }) => type === 'checkpoint' && data.trace_id === trace_id && data.step_index === step_index,
  );
  await agent.kill();
  console.log('');
  shout(`kill -9: the process is gone, after step ${step_index} of ${CHILD}.`);
}

async function checkAfterCrash(api, threadId, agent) {
  for (const agent_id of [PARENT, CHILD]) {
    const latest = await api.get(latestPath(threadId, { agent_id }));
    const { step_index, history } = latest.json();
    const isThere = lastReports(agent, agent_id).some((report) => latest.text.includes(listsOf(report)));
    check(
      isThere,
      `latest?agent_id=${agent_id}: step ${step_index} with the ${history.length} messages that it last sent`,
    );
  }
}

async function resume(server, threadId, first) {
  say('The same program is started again. It knows nothing but the name of its thread.');
  console.log('');
  const agent = new ObservedAgent(server, CONVERSATION, threadId);
  await agent.end();
  console.log('');
  for (const { agentId, traceId, isResumed, history } of agent.opened) {
    const known = first.opened.find((run) => run.agentId === agentId);
    const isWhole = lastReports(first, agentId).some(
      (report) => JSON.stringify(report.history) === JSON.stringify(history),
    );
    check(
      isResumed && isWhole && traceId === known.traceId,
      `${agentId} went on with the ${history.length} messages it had, under its old trace`,
    );
  }
  return agent;
}

/** The last acknowledged report, and any report in flight when the process died: one of them must be stored. */
function lastReports(agent, agentId) {
  const under = agent.saving.filter(({ agent_id }) => agent_id === agentId);
  return [agent.savedBy(agentId).at(-1), under.at(-1)];
}

async function checkEnd(api, threadId, { first, second }) {
  const { run_list: runs, status } = (await api.get(threadPath(threadId))).json();
  const isAsExpected = runs.length === 2 && runs.every((run) => run.status === 'completed' && run.attempts === 1);
  check(status === 'completed' && isAsExpected, 'both runs are completed, in one attempt each');
  check(runs[1]?.parent_trace_id === runs[0]?.trace_id, `the run of ${CHILD} names that of ${PARENT} as its parent`);
  const all = await api.get(threadPath(threadId, '/checkpoints'));
  const sent = [...first.saved, ...second.saved];
  const isComplete =
    all.json().items.length === new Set(sent.map(({ trace_id, step_index }) => `${trace_id} ${step_index}`)).size;
  check(
    isComplete && sent.every((report) => all.text.includes(listsOf(report))),
    `all ${sent.length} checkpoints read back exactly`,
  );
  const [before, after] = second
    .savedBy(PARENT)
    .slice(-2)
    .map(({ history }) => history.length);
  check(
    after < before,
    `${PARENT} had shortened its history from ${before} to ${after} messages; what came before is still there`,
  );
}

/** Sends the same report again, like a client that never got the response. */
async function checkReplay(api, threadId, report) {
  const before = await api.get(latestPath(threadId));
  const batch = { events: [{ type: 'checkpoint', data: report }] };
  const answer = await api.post('/v1/runners/events', JSON.stringify(batch));
  const after = await api.get(latestPath(threadId), { 'if-none-match': before.etag });
  check(
    answer.status === 200 && after.status === 304,
    'the last report sent once more changes nothing: same ETag, 304',
  );
}
