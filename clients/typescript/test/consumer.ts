// A user's program: compiled under strict as an ES module and as CommonJS, and run against a server by
// test/e2e/clients/typescript.spec.ts.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  ApiProblemError,
  ExactNumber,
  NoAnswerError,
  WaystationApi,
  WaystationClient,
  type Schemas,
  type StreamEvent,
} from '@waystation/client';

const LONG = '9007199254740993';

async function main(): Promise<void> {
  const threadId = process.argv[2] ?? 'consumer';
  const api = new WaystationApi();
  const client = new WaystationClient({ agentId: 'support' });
  const run = await client.start({ thread_id: threadId, model: 'some-model' });
  await client.checkpoint({ ...run, step_index: 0, history: [{ role: 'user', amount: new ExactNumber(LONG) }] });
  const lease = await client.lease(run);
  const made = await client.effect(run, { key: 'refund', tool: 'refund' }, () => ({ transfer: 'T-1' }));
  await client.flush();
  await lease.release();

  const seen = {
    run: await look(api, threadId),
    stream: await firstEvents(api, threadId),
    approval: await decide(client, api, run),
    made,
    claimed: (await api.effects.list(threadId)).items.map(({ key, state }) => `${key} ${state}`),
    errors: await refusals(api, threadId),
    copied: await copy(api, threadId),
    again: await cancelAndRetry(api, client, `${threadId}-again`),
    channel: await channel(api),
    stats: (await api.stats({ by: 'agent' })).items.map(({ key }) => key),
    health: (await api.health()).status,
  };
  await client.complete(run);
  await client.close();
  process.stdout.write(`${JSON.stringify(seen)}\n`);
}

async function look(api: WaystationApi, threadId: string): Promise<unknown> {
  const found: Schemas['ListedThreadDto'][] = [];
  for await (const thread of api.threads.each({ limit: 1, q: threadId })) found.push(thread);
  const detail = await api.threads.get(threadId);
  const [message] = detail.history as { amount?: unknown }[];
  const latest = await api.runners.latest(threadId, { agent_id: 'support' });
  return { listed: found.length, amount: String(message?.amount), latest: latest?.step_index };
}

async function firstEvents(api: WaystationApi, threadId: string): Promise<string[]> {
  const names: string[] = [];
  let last: StreamEvent | undefined;
  for await (const event of api.threads.stream(threadId)) {
    names.push(event.event);
    last = event;
    break;
  }
  const end = AbortSignal.timeout(300);
  try {
    for await (const event of api.threads.stream(threadId, { lastEventId: last?.id ?? '', signal: end })) {
      names.push(event.event);
    }
  } catch (error) {
    if (error !== end.reason) throw error;
  }
  return names;
}

async function decide(
  client: WaystationClient,
  api: WaystationApi,
  run: { thread_id: string; trace_id: string },
): Promise<string[]> {
  await client.checkpoint({
    ...run,
    step_index: 1,
    status: 'waiting_for_approval',
    history: [{ role: 'user', content: 'Pay.' }],
    pending_tool_calls: [{ id: 'call-1', name: 'pay', arguments: { euros: 5 } }],
  });
  await client.flush();
  const { items } = await api.approvals.list({ thread_id: run.thread_id });
  const address = { trace_id: run.trace_id, step: items[0]?.step ?? -1 };
  const waited = api.approvals.wait(address);
  const agent = client.waitForApproval(run);
  await api.approvals.approve(address, { decided_by: 'ada' });
  const [approval, checkpoint] = await Promise.all([waited, agent]);
  return [items[0]?.status ?? '', approval.status, checkpoint.status];
}

async function refusals(api: WaystationApi, threadId: string): Promise<unknown[]> {
  const gone = new WaystationApi({ apiUrl: 'http://127.0.0.1:9', token: 'none', retries: 0 });
  const told: unknown[] = [];
  const attempts: (() => Promise<unknown>)[] = [
    () => api.threads.get(`${threadId}-unknown`),
    () => api.threads.list({ limit: 0 }),
    () => gone.health(),
  ];
  for (const attempt of attempts) {
    await attempt().catch((error: unknown) => {
      if (error instanceof ApiProblemError) told.push([error.status, error.code, error.errors.map(({ path }) => path)]);
      else if (error instanceof NoAnswerError) told.push('no answer');
      else throw error;
    });
  }
  return told;
}

async function copy(api: WaystationApi, threadId: string): Promise<string> {
  const as = `${threadId}-copy`;
  const stored = await api.threads.import(api.threads.export(threadId), { as });
  await api.threads.delete(as);
  return stored.thread_id;
}

/** The program is its own agent: the server asks it to continue the run. */
async function cancelAndRetry(api: WaystationApi, client: WaystationClient, threadId: string): Promise<unknown[]> {
  const run = await client.start({ thread_id: threadId });
  await client.checkpoint({ ...run, step_index: 0, history: [{ role: 'user', content: 'Look it up.' }] });
  await client.flush();
  const { status } = await api.runs.cancel(run, { reason: 'Not today' });
  const { run_list: runs } = await api.threads.get(threadId);
  const agent = createServer((_, response) => response.writeHead(202).end(JSON.stringify({ run_id: run.trace_id })));
  await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(agent.address() as AddressInfo).port}`;
  await api.runners.report([{ type: 'heartbeat', data: { agent_id: 'support', endpoint } }]);
  const retried = await api.runs.retry(run);
  agent.closeAllConnections();
  await new Promise((resolve) => agent.close(resolve));
  return [status, runs[0]?.cancel_reason, retried.run_id === run.trace_id];
}

async function channel(api: WaystationApi): Promise<string[]> {
  const { items } = await api.channels.platforms();
  const listed = await api.channels.list();
  return [...items.map(({ type }) => type).sort(), String(listed.items.length)];
}

void main();
