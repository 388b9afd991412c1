import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { newThreadId, started } from '../../factories/events.js';
import { AgentRunner, endOf } from '../../support/agent-runner.js';
import type { Answer } from '../../support/api-client.js';
import { cancel } from '../../support/cancel.js';
import { runCommand, type CommandResult } from '../../support/command.js';
import { LosingLink } from '../../support/losing-link.js';
import { checkpointsOf, detailOf, latestOf, outline, record, recordEach, threadPath } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const server = useServer();
const shell = (script: string) => ({ command: ['sh', '-c', script] });
/** Prints its process id and then nothing for a long time, like a program that computes. */
const WORK = 'echo \'{"type":"checkpoint","data":{"step_index":0,"history":[],"pid":\'$$\'}}\'; ';
const AGENTS = {
  busy: shell(`${WORK} sleep 1000 & wait`),
  stubborn: shell(`trap '' TERM; ${WORK} while true; do sleep 0.1; done`),
  single: { ...shell(`echo $WAYSTATION_TRACE_ID >>starts; ${WORK} sleep 1000 & wait`), concurrency: 1, queue_limit: 1 },
  pair: {
    ...shell(
      `${WORK} if [ $WAYSTATION_MESSAGE = done ]; then echo '{"type":"thread_completed","data":{}}'; fi; sleep 1000 & wait`,
    ),
    concurrency: 2,
  },
  failing: shell('echo $WAYSTATION_TRACE_ID >>tries; exit 7'),
  tidy: shell(`trap 'echo "cleaned up"; exit 0' TERM; ${WORK} while true; do sleep 0.1; done`),
};

const AHEAD = path.resolve(import.meta.dirname, '../../support/clock-ahead.mjs');

let agents: AgentRunner;
beforeAll(async () => {
  agents = await AgentRunner.start({ storage: server.storage, apiUrl: server.api.baseUrl, agents: AGENTS });
});
afterAll(() => agents?.stop());

async function begun(agent: string, message = 'work') {
  const { threadId, runId } = await agents.launch(agent, newThreadId(), message);
  const pid = await waitFor('the program to work', async () => {
    const answer = await server.api.get(`/v1/runners/threads/${threadId}/latest`);
    return (answer.status === 200 && Number(answer.json().pid ?? 0)) || undefined;
  });
  return { threadId, runId, pid };
}

const isThere = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('The program of a cancelled run', () => {
  it.each(['busy', 'stubborn', 'tidy'])('is ended (%s), and nothing it says then counts', async (agent) => {
    const { threadId, runId, pid } = await begun(agent);
    expect(isThere(pid)).toBe(true);
    expect((await cancel(server.api, threadId, runId)).status).toBe(200);
    await waitFor('the end of the program', () => !isThere(pid));
    // The thread's next run can start, so the lane is free.
    const next = await agents.launch('tidy', threadId, 'again');
    await waitFor('the next run', async () => (await latestOf(server.api, threadId)).trace_id === next.runId);
    await cancel(server.api, threadId, next.runId);
    await endOf(server.api, threadId);
    const rows = outline(await checkpointsOf(server.api, threadId, { trace_id: runId }));
    expect(rows).toEqual([`${runId}/0 cancelled`]);
    expect((await latestOf(server.api, threadId, { trace_id: runId })).error).toBeNull();
  });

  it('is not started again by the agent process that comes back', async () => {
    const { threadId, runId, pid } = await begun('busy');
    await agents.kill();
    await cancel(server.api, threadId, runId);
    agents = await AgentRunner.start({ storage: server.storage, apiUrl: server.api.baseUrl, agents: AGENTS });
    await waitFor('the end of the program', () => !isThere(pid));
    const { threadId: other, runId: otherRun } = await begun('busy');
    expect(((await detailOf(server.api, threadId)).run_list as object[])[0]).toMatchObject({
      status: 'cancelled',
      attempts: 1,
    });
    await cancel(server.api, other, otherRun);
  });

  it('is ended where that happens while it is being taken up again, before its start is reported', async () => {
    const { threadId, runId } = await begun('busy');
    await agents.kill();
    const link = await LosingLink.to(server.api.baseUrl);
    let answer: Answer | undefined;
    link.before = async (body) => {
      if (body.includes('thread_started')) answer ??= await cancel(server.api, threadId, runId);
    };
    const env = { WAYSTATION_LOG_LEVEL: 'info' };
    agents = await AgentRunner.start({ storage: server.storage, apiUrl: link.url, agents: AGENTS, env });
    await waitFor('the end of the run', () => agents.printed.includes('run cancelled'));
    // By then its start has arrived too.
    await agents.stop();
    await link.close();
    expect(answer?.status).toBe(200);
    expect(await detailOf(server.api, threadId)).toMatchObject({ status: 'cancelled', run_list: [{ attempts: 1 }] });
    agents = await AgentRunner.start({ storage: server.storage, apiUrl: server.api.baseUrl, agents: AGENTS });
  });
});

const waystation = (...args: string[]) =>
  runCommand(server.storage, ['cancel', ...args], { WAYSTATION_API_URL: server.api.baseUrl });

describe('A run that is retried', () => {
  it('never starts once it is cancelled, also if the clock of its process is ahead', async () => {
    await agents.stop();
    const link = await LosingLink.to(server.api.baseUrl);
    const env = {
      ...{ NODE_OPTIONS: `--import=${AHEAD}`, WAYSTATION_TEST_AHEAD_MS: '3600000' },
      WAYSTATION_LOG_LEVEL: 'info',
    };
    agents = await AgentRunner.start({ storage: server.storage, apiUrl: link.url, agents: AGENTS, env });
    const { threadId, runId } = await agents.launch('failing', newThreadId(), 'work');
    await endOf(server.api, threadId);
    let answer: Answer | undefined;
    link.before = async (body) => {
      if (!body.includes('thread_started') || answer !== undefined) return;
      const isRetried = async () => (await latestOf(server.api, threadId)).status === 'in_progress';
      await waitFor('the retry to be noted', isRetried);
      answer = await cancel(server.api, threadId, runId);
    };
    const retried = () => server.api.post(threadPath(threadId, `/runs/${runId}/retry`));
    await waitFor('the retry', async () => (await retried()).status === 202);
    await waitFor('its end', () => agents.printed.includes('run cancelled'));
    await agents.stop();
    await link.close();
    expect(answer?.status).toBe(200);
    expect(await detailOf(server.api, threadId)).toMatchObject({ status: 'cancelled', run_list: [{ attempts: 2 }] });
    const tries = await readFile(path.join(server.storage.home, 'agents', 'tries'), 'utf8');
    expect(tries).toBe(`${runId}\n`);
    agents = await AgentRunner.start({ storage: server.storage, apiUrl: server.api.baseUrl, agents: AGENTS });
  });
});

describe('A run that waits for another one of its agent', () => {
  const queued = async () => {
    const { items } = (await server.api.get('/v1/agents')).json<{ items: { queued_runs: { trace_id: string }[] }[] }>();
    return items.flatMap(({ queued_runs }) => queued_runs.map(({ trace_id }) => trace_id));
  };
  const waiting = async (agent: string, threadId = newThreadId(), message = 'its message') => {
    const { runId } = await agents.launch(agent, threadId, message);
    await waitFor('the server to know of it', async () => (await queued()).includes(runId));
    return { threadId, runId };
  };
  const runIn = async (threadId: string) => ((await detailOf(server.api, threadId)).run_list as object[])[0];
  const startsOf = async () =>
    (await readFile(path.join(server.storage.home, 'agents', 'starts'), 'utf8').catch(() => '')).split('\n');
  const saidIn = async (threadId: string) =>
    (await latestOf(server.api, threadId)).history.map(({ content }) => content);

  it('never starts once it is cancelled, says why, and frees its place at once', async () => {
    const { threadId: first, runId: firstRun } = await begun('single');
    const { threadId, runId } = await waiting('single');
    expect((await agents.post('single', { message: 'one too many' })).status).toBe(429);
    const path = `/threads/${threadId}/runs/${runId}/cancel`;
    for (const reason of ['changed my mind', 'again']) {
      expect((await server.api.post(path, { reason })).json()).toMatchObject({ status: 'cancelled' });
    }
    expect(await runIn(threadId)).toMatchObject({ status: 'cancelled', cancel_reason: 'changed my mind' });
    await waitFor('its message', async () => (await saidIn(threadId)).includes('its message'));
    const next = await waiting('single');
    const byCommand = await waystation(next.runId.slice(0, 10), '--reason', 'by command');
    expect([byCommand.code, byCommand.stdout]).toEqual([0, `Cancelled run ${next.runId} in thread ${next.threadId}\n`]);
    expect(await runIn(next.threadId)).toMatchObject({ status: 'cancelled', cancel_reason: 'by command' });
    await cancel(server.api, first, firstRun);
    const last = await waitFor('a free place', () => begun('single').catch(() => undefined));
    expect(await startsOf()).toEqual([firstRun, last.runId, '']);
    await cancel(server.api, last.threadId, last.runId);
    expect(await runIn(threadId)).toMatchObject({ status: 'cancelled', attempts: 1 });
  });

  it('is cancelled also while its agent process and then the server are down', async () => {
    const first = await begun('single');
    const { threadId, runId } = await waiting('single');
    await agents.kill();
    expect((await cancel(server.api, threadId, runId)).status).toBe(200);
    await cancel(server.api, first.threadId, first.runId);
    await server.restart();
    agents = await AgentRunner.start({ storage: server.storage, apiUrl: server.api.baseUrl, agents: AGENTS });
    const { threadId: other, runId: otherRun } = await waitFor('a free place', () =>
      begun('single').catch(() => undefined),
    );
    expect(await startsOf()).not.toContain(runId);
    expect(await runIn(threadId)).toMatchObject({ status: 'cancelled', attempts: 1 });
    await cancel(server.api, other, otherRun);
    await waitFor('its message', async () => (await saidIn(threadId)).includes('its message'));
  });

  it('keeps its end that its agent process did not live to note', async () => {
    const [first, second] = [await begun('pair'), await begun('pair', 'done')];
    await endOf(server.api, second.threadId);
    await agents.kill();
    const narrower = { ...AGENTS, pair: { ...AGENTS.pair, concurrency: 1 } };
    agents = await AgentRunner.start({ storage: server.storage, apiUrl: server.api.baseUrl, agents: narrower });
    await waitFor('the server to know of it', async () => (await queued()).includes(second.runId));
    const answer = await cancel(server.api, second.threadId, second.runId);
    expect([answer.status, answer.json()]).toMatchObject([409, { code: 'run_ended' }]);
    expect((await cancel(server.api, first.threadId, first.runId)).status).toBe(200);
    await waitFor('its end to be noted', async () => !(await queued()).includes(second.runId));
    expect(await runIn(second.threadId)).toMatchObject({ status: 'completed', attempts: 1 });
  });
});

describe('waystation cancel', () => {
  it('ends the run whose id begins like that, also in a thread that is named', async () => {
    const { threadId, runId, pid } = await begun('busy');
    const { code, stdout } = await waystation(runId.slice(0, 10));
    expect([code, stdout]).toEqual([0, `Cancelled run ${runId} in thread ${threadId}\n`]);
    await waitFor('the end of the program', () => !isThere(pid));
    const again = await waystation(runId.slice(0, 10), '--thread', threadId, '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ trace_id: runId, status: 'cancelled' });
  });

  it('says plainly that there is no such run, more than one, or nothing to cancel', async () => {
    const unknown = await waystation('nothing-like-it');
    expect([unknown.code, unknown.stderr]).toEqual([1, 'No run and no thread begins with nothing-like-it.\n']);
    const events = ['twin-1', 'twin-2'].map((trace_id) => ({
      type: 'thread_started',
      data: { thread_id: newThreadId(), trace_id, agent_id: 'support' },
    }));
    await server.api.post('/v1/runners/events', { events });
    const ambiguous = await waystation('twin-');
    expect([ambiguous.code, ambiguous.stderr]).toEqual([
      2,
      expect.stringMatching(/twin-\d --thread \S+\n.*twin-\d --thread/),
    ]);
    await server.api.post('/v1/runners/events', { events: [{ ...events[0], type: 'thread_completed' }] });
    const ended = await waystation('twin-1');
    expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining('already ended with the status completed')]);
  });

  it('finds earlier runs and sub-runs, and never takes the whole id of one for the beginning of another', async () => {
    const [threadId, other] = [newThreadId(), newThreadId()];
    const run = `early-${threadId}`;
    const sub = { trace_id: `sub-${threadId}`, parent_trace_id: run, agent_id: 'helper' };
    const start = (thread_id: string, trace_id: string) => started(thread_id, { trace_id });
    await recordEach(server.api, start(threadId, run), started(threadId, sub), start(threadId, `late-${threadId}`));
    await record(server.api, start(other, `${run}2`), start(other, `${sub.trace_id}2`));
    expect((await detailOf(server.api, threadId)).trace_id).not.toBe(run);
    expectCancelled(await waystation(sub.trace_id), sub.trace_id);
    expectCancelled(await waystation(run), run);
    const [ambiguous, brief] = [
      await waystation(`early-${threadId.slice(0, -1)}`),
      await waystation(`late-${threadId.slice(0, -1)}`),
    ];
    expect([ambiguous.code, ambiguous.stderr]).toEqual([2, expect.stringContaining(`${run}2 --thread ${other}`)]);
    expectCancelled(brief, `late-${threadId}`);
    const wrong = await waystation(run, '--thread', other);
    expect([wrong.code, wrong.stderr]).toEqual([1, `The thread ${other} has no such run.\n`]);
    const { run_list: runs } = await detailOf(server.api, other);
    expect((runs as { status: string }[]).map(({ status }) => status)).toEqual(['in_progress', 'in_progress']);

    function expectCancelled({ code, stdout }: CommandResult, traceId: string): void {
      expect([code, stdout]).toEqual([0, `Cancelled run ${traceId} in thread ${threadId}\n`]);
    }
  });
});
