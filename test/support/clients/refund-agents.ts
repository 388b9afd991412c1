import { newThreadId } from '../../factories/events.js';
import { approvalsOf, decide, decided, statusesOf, type Approval } from '../approvals.js';
import { detailOf } from '../recording.js';
import type { TestServer } from '../test-server.js';
import { waitFor } from '../wait.js';
import { startProgram, type StartedProgram } from './adapter-run.js';
import type { InstalledClient } from './installed-client.js';

/** Loading a framework takes a minute on a busy machine. */
const STARTS_MS = 150_000;

/** A program's first question, once it waits. @throws Error with its output if it ends instead */
export function firstAsked(server: TestServer, threadId: string, program: StartedProgram): Promise<Approval> {
  const look = async () => {
    const [approval] = await approvalsOf(server.api, threadId);
    if (!approval) program.assertRunning();
    return approval;
  };
  return waitFor('the program to ask', look, STARTS_MS);
}

/** `examples/refunds.mjs` of an adapter asks about two calls of a framework that accepts no changed arguments, and prints their outcome. */
export function itAsksBeforeItRefunds(client: InstalledClient, server: TestServer): void {
  const start = (threadId: string) =>
    startProgram(client, server, ['examples/refunds.mjs', threadId], { WAYSTATION_AGENT_ID: 'refunds' });
  const asked = (threadId: string, agent: StartedProgram) => firstAsked(server, threadId, agent);
  const answer = (verb: 'approve' | 'reject', { trace_id: traceId, step }: Approval, body: object = {}) =>
    decided(server.api, verb, { traceId }, step, body);

  it('goes on in another process with the decision on each call, and calls no tool twice or unapproved', async () => {
    const threadId = newThreadId('refunds');
    const killed = start(threadId);
    const approval = await asked(threadId, killed);
    await killed.kill();
    expect(approval).toMatchObject({
      approval_features: ['per_call'],
      tool_calls: [
        { id: 'refund-4711', name: 'refund', args: { order: 4711, amount: 25 } },
        { id: 'refund-4712', name: 'refund', args: { order: 4712, amount: 25 } },
      ],
    });
    const next = start(threadId);
    await answer('approve', approval, { decisions: [{ index: 1, decision: 'reject', reason: 'It was lost.' }] });
    expect(killed.lines()).toEqual(['']);
    expect(await next.ended()).toEqual(['paid 25 back for order 4711', 'done, It was lost.']);
    expect(await statusesOf(server.api, threadId)).toEqual([`${approval.step} approved`]);
    expect(await detailOf(server.api, threadId)).toMatchObject({ status: 'completed', agent_id: 'refunds' });
  });

  it('finds what was decided while no process was there', async () => {
    const threadId = newThreadId('refunds');
    const killed = start(threadId);
    const approval = await asked(threadId, killed);
    await killed.kill();
    await answer('reject', approval, { reason: 'Not today.' });
    expect(await start(threadId).ended()).toEqual(['Not today., Not today.']);
    expect(await statusesOf(server.api, threadId)).toEqual([`${approval.step} rejected`]);
  });

  it('takes no changed arguments', async () => {
    const threadId = newThreadId('refunds');
    const agent = start(threadId);
    const { trace_id: traceId, step } = await asked(threadId, agent);
    const changed = { decisions: [{ index: 0, decision: 'approve', args: { order: 4711, amount: 1 } }] };
    expect(await decide(server.api, 'approve', { traceId }, step, changed)).toMatchObject({ status: 409 });
    await decided(server.api, 'approve', { traceId }, step);
    expect(await agent.ended()).toEqual(['paid 25 back for order 4711', 'paid 25 back for order 4712', 'done, done']);
  });
}
