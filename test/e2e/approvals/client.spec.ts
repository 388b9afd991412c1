import { NoDecisionError, WaystationClient } from '../../../src/client/waystation-client.js';
import { completed, failed } from '../../factories/events.js';
import { MAIL, newRun, REFUND, type RunIds } from '../../factories/waiting.js';
import { decided } from '../../support/approvals.js';
import { cancel } from '../../support/cancel.js';
import { latestOf, record } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const server = useServer();
const clients: WaystationClient[] = [];
const verbs = [
  ['approve', 'approved'],
  ['reject', 'rejected'],
] as const;

afterEach(async () => {
  await Promise.all(clients.splice(0).map((one) => one.close(0)));
});

/** One process of an agent. */
function client(): WaystationClient {
  const { baseUrl: apiUrl, token } = server.api;
  const made = new WaystationClient({ apiUrl, token, agentId: 'support', onRejected: () => undefined });
  clients.push(made);
  return made;
}

const idsOf = (run: RunIds) => ({ thread_id: run.threadId, trace_id: run.traceId });

function ask(one: WaystationClient, run: RunIds, step: number, fields: object = {}): Promise<void> {
  const calls = { status: 'waiting_for_approval', pending_tool_calls: [REFUND] };
  return one.checkpoint({ ...idsOf(run), step_index: step, history: ['question'], ...calls, ...fields });
}

async function asked(run: RunIds, fields: object = {}): Promise<WaystationClient> {
  const one = client();
  await one.checkpoint({ ...idsOf(run), step_index: 0, history: [] });
  await ask(one, run, 1, fields);
  await one.flush();
  return one;
}

async function areHeld(count: number): Promise<void> {
  const line = `waystation_latest_waits_open ${count}\n`;
  await waitFor('the requests to be held', async () => (await server.api.get('/metrics')).text.includes(line));
}

describe('A client that waits for a person', () => {
  it.each(verbs)('is told the decision while it waits, and one from before: %s', async (verb, status) => {
    const run = newRun();
    const one = await asked(run);
    const waits = [one, client()].map((each) => each.waitForApproval(idsOf(run)));
    await areHeld(2);
    await decided(server.api, verb, run, 1);
    waits.push(one.waitForApproval(idsOf(run)), client().waitForApproval(idsOf(run)));
    for (const answer of await Promise.all(waits)) {
      expect(answer).toMatchObject({ step_index: 1, status, pending_tool_calls: [], approval: { status } });
    }
  });

  it('goes on waiting when its run is started again', async () => {
    const run = newRun();
    await asked(run);
    const other = client();
    await other.start(idsOf(run));
    const wait = other.waitForApproval(idsOf(run));
    await decided(server.api, 'approve', run, 1);
    expect(await wait).toMatchObject({ status: 'approved' });
  });

  it('takes the end of the time for a rejection', async () => {
    const run = newRun();
    const one = await asked(run, { approval_timeout_seconds: 1 });
    expect(await one.waitForApproval(idsOf(run))).toMatchObject({
      status: 'rejected',
      approval: { status: 'expired' },
    });
  });

  it('is told a rejection as such, also when the run has failed since and was started again', async () => {
    const run = newRun();
    await asked(run);
    await decided(server.api, 'reject', run, 1);
    await record(server.api, failed(run.threadId, { trace_id: run.traceId }));
    const other = client();
    expect(await other.waitForApproval(idsOf(run))).toMatchObject({ status: 'rejected' });
    await other.start(idsOf(run));
    await other.flush();
    expect(await latestOf(server.api, run.threadId)).toMatchObject({ status: 'in_progress' });
    expect(await other.waitForApproval(idsOf(run))).toMatchObject({ status: 'rejected' });
  });

  it('is told no approval from before a person cancelled the run', async () => {
    const run = newRun();
    await asked(run);
    await decided(server.api, 'approve', run, 1);
    await cancel(server.api, run.threadId, run.traceId);
    await expect(client().waitForApproval(idsOf(run))).rejects.toThrow(NoDecisionError);
  });

  it('is told nothing where its question was refused', async () => {
    const run = newRun();
    const one = await asked(run, { tokens_used: -1 });
    await expect(one.waitForApproval(idsOf(run))).rejects.toThrow(NoDecisionError);
  });

  it.each([
    ['other calls', { pending_tool_calls: [MAIL] }],
    ['the same calls at another step', {}],
  ])('does not take the decision on an earlier question for that on one that was refused: %s', async (_, fields) => {
    const run = newRun();
    const one = await asked(run);
    await decided(server.api, 'approve', run, 1);
    expect(await one.waitForApproval(idsOf(run))).toMatchObject({ status: 'approved' });
    await ask(one, run, 2, { ...fields, tokens_used: -1 });
    await expect(one.waitForApproval(idsOf(run))).rejects.toThrow('did not arrive');
    await ask(one, run, 2, fields);
    const wait = one.waitForApproval(idsOf(run));
    await one.flush();
    await decided(server.api, 'reject', run, 2);
    expect(await wait).toMatchObject({ step_index: 2, status: 'rejected' });
  });

  it('stops waiting for what nobody can decide any more', async () => {
    const run = newRun();
    const one = await asked(run);
    const wait = one.waitForApproval(idsOf(run));
    const refusal = expect(wait).rejects.toThrow(NoDecisionError);
    await areHeld(1);
    await record(server.api, completed(run.threadId, { trace_id: run.traceId }));
    await refusal;
  });

  it('does not take a status that was merely reported for a decision', async () => {
    const run = newRun();
    const one = client();
    await one.checkpoint({ ...idsOf(run), step_index: 0, history: [], status: 'approved' });
    await expect(one.waitForApproval(idsOf(run))).rejects.toThrow(NoDecisionError);
  });
});
