import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { newThreadId, started } from '../../factories/events.js';
import { waiting } from '../../factories/waiting.js';
import { AgentRunner } from '../../support/agent-runner.js';
import { freePort } from '../../support/free-port.js';
import { latestOf, recordEach } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { MutableLink } from '../../support/mutable-link.js';
import { waitFor } from '../../support/wait.js';

const server = useServer();
/** Waits for permission, then prints the lines in its message. */
const PROGRAM = `
  const { existsSync, readFileSync } = require('node:fs');
  const { message, trace_id, thread_id } = JSON.parse(readFileSync(0, 'utf8'));
  const timer = setInterval(() => {
    if (!existsSync('go-' + thread_id)) return;
    clearInterval(timer);
    for (const line of JSON.parse(message)) console.log(JSON.stringify(line).replaceAll('OWN', trace_id));
    console.log('{"type":"checkpoint","data":{"step_index":0,"history":["said"]}}');
  }, 20);`;
const AGENTS = { mine: { command: [process.execPath, '-e', PROGRAM] }, yours: { command: ['true'] } };

let agents: AgentRunner;
afterEach(async () => {
  await agents?.stop();
});

/** Attempts of a program that knows everything about another agent's run in its own thread, and about one elsewhere. */
function linesAbout(threadId: string, elsewhere: string): object[] {
  const theirs = { thread_id: threadId, trace_id: 'theirs', agent_id: 'yours' };
  const below = { ...theirs, parent_trace_id: 'OWN' };
  const replacing = { step_index: 0, history: ['forged'], pending_tool_calls: [] };
  const whose = [theirs, { ...theirs, agent_id: 'mine' }, below, { ...below, agent_id: 'mine' }];
  const places = [...whose, ...whose.map((ids) => ({ ...ids, thread_id: elsewhere })), { trace_id: '' }];
  return [
    ...places.flatMap((ids) => [
      { type: 'checkpoint', data: { ...ids, ...replacing } },
      { type: 'thread_started', data: ids },
    ]),
    ...places.slice(0, -1).flatMap((ids) => [
      { type: 'thread_completed', data: ids },
      { type: 'thread_error', data: { ...ids, error: 'forged' } },
    ]),
    { type: 'checkpoint', data: { trace_id: 'OWN', parent_trace_id: 'theirs', step_index: 0, history: ['said'] } },
    { type: 'heartbeat', data: { agent_id: 'yours', endpoint: 'http://127.0.0.1:1', invoke_token: 'forged-token' } },
    { type: '\u001b[2Jforged', data: theirs },
  ];
}

async function tokenOf(agentIds: string[]): Promise<string> {
  const order = { scope: 'runner', name: 'both', agent_ids: agentIds };
  return String((await server.api.post('/v1/tokens', order)).json().token);
}

const API = () => server.api.baseUrl;

async function theirRuns(...threadIds: string[]): Promise<unknown[]> {
  const approvals = (await server.api.get('/approvals')).json<{ items: unknown[] }>().items;
  const latest = await Promise.all(threadIds.map((id) => latestOf(server.api, id, { trace_id: 'theirs' })));
  return [approvals, latest];
}

describe("What a program prints of others' runs is dropped", () => {
  it.each([
    ['with the machine secret', true, true],
    ['with a token for both agents', false, true],
    ['without a lease, because the server was away when the run began', true, false],
  ])('%s', async (_, isSecret, isLeased) => {
    const [threadId, elsewhere] = [newThreadId(), newThreadId()];
    for (const id of [threadId, elsewhere]) {
      const ids = { threadId: id, traceId: 'theirs' };
      await recordEach(server.api, started(id, { trace_id: 'theirs', agent_id: 'yours' }));
      await recordEach(server.api, waiting(ids, 0, { agent_id: 'yours' }));
    }
    const before = await theirRuns(threadId, elsewhere);
    const token = isSecret ? server.storage.secret : await tokenOf(['mine', 'yours']);
    const port = await freePort();
    const env = { WAYSTATION_TOKEN: token, WAYSTATION_LOG_LEVEL: 'info', WAYSTATION_LOG_PRETTY: 'true' };
    const apiUrl = isLeased ? API() : `http://127.0.0.1:${port}`;
    agents = await AgentRunner.start({ storage: server.storage, apiUrl, agents: AGENTS, env });
    const lines = JSON.stringify(linesAbout(threadId, elsewhere));
    const { runId } = await agents.launch('mine', threadId, lines);
    await waitFor('the program', () => agents.printed.includes('started (webhook)'));
    const link = isLeased ? null : await MutableLink.to(new URL(API()), port);
    await writeFile(path.join(server.storage.home, 'agents', `go-${threadId}`), '');
    await waitFor('the end of the run', async () => {
      const latest = await latestOf(server.api, threadId, { trace_id: runId }).catch(() => undefined);
      return latest?.status === 'completed';
    });
    expect(await theirRuns(threadId, elsewhere)).toEqual(before);
    const mine = await latestOf(server.api, threadId, { trace_id: runId });
    expect(mine).toMatchObject({ agent_id: 'mine', parent_trace_id: null });
    expect(mine.history[0]).toBe('said');
    const { items } = (await server.api.get('/v1/agents')).json<{ items: { endpoint: string }[] }>();
    expect(items.map(({ endpoint }) => endpoint)).not.toContain('http://127.0.0.1:1');
    expect(agents.printed.match(/may only print events of its own run/g)).toHaveLength(1);
    expect(agents.printed).not.toContain('\u001b[2J');
    await agents.stop();
    await link?.close();
  });
});
