import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { newThreadId } from '../../factories/events.js';
import { AgentRunner, endOf, programPath } from '../../support/agent-runner.js';
import { runCommand } from '../../support/command.js';
import { checkpointsOf, type Page } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const server = useServer();
const shell = (script: string, fields: object = {}) => ({ command: ['sh', '-c', script], ...fields });
const steps = (name: string, env: Record<string, string>) => ({ command: ['node', programPath(name)], env });
const AGENTS = {
  environment: shell('env > env.part; mv env.part env; until [ -e seen ]; do sleep 0.1; done; rm seen env'),
  writing: shell('env > environment.part; mv environment.part environment'),
  printing: steps('steps.mjs', { STEPS: '3', PAUSE_MS: '1', ANSWER: 'the end' }),
  reporting: steps('self-reporting.mjs', { STEPS: '40', PAUSE_MS: '60' }),
  dear: { ...steps('self-reporting.mjs', { STEPS: '900', PAUSE_MS: '30' }), budget_usd: 0.05 },
};
const WORDS = /may do more than report/g;

let agents: AgentRunner;
afterEach(async () => {
  await agents?.stop();
});

async function tokenFor(...args: string[]): Promise<string> {
  const made = await runCommand(server.storage, ['token', 'create', ...args], {
    WAYSTATION_API_URL: server.api.baseUrl,
  });
  expect(made.code).toBe(0);
  return made.stdout.trim();
}

function start(token: string, apiUrl = server.api.baseUrl): Promise<AgentRunner> {
  const env = { WAYSTATION_TOKEN: token, WAYSTATION_LOG_LEVEL: 'warn', WAYSTATION_SHUTDOWN_TIMEOUT_MS: '0' };
  return AgentRunner.start({ storage: server.storage, apiUrl, agents: AGENTS, env });
}

async function isOnline(agent: string): Promise<boolean> {
  const { items } = (await server.api.get('/v1/agents')).json<Page<{ agent_id: string; online: boolean }>>();
  return items.some(({ agent_id, online }) => agent_id === agent && online);
}

describe('An agent process with a token of scope runner', () => {
  it('does everything with it: heartbeats, reports, budgets, and runs that go on after a crash', async () => {
    const token = await tokenFor('--scope', 'runner', '--agents', ...Object.keys(AGENTS));
    agents = await start(token);
    const [printed, dear, interrupted] = [newThreadId(), newThreadId(), newThreadId()];
    await agents.launch('printing', printed);
    await agents.launch('dear', dear);
    for (const agent of Object.keys(AGENTS)) await waitFor(`${agent} to be online`, () => isOnline(agent));
    expect(await endOf(server.api, printed)).toMatchObject({ status: 'completed', runs: 1 });
    expect(await endOf(server.api, dear)).toMatchObject({ status: 'budget_exceeded' });
    await agents.launch('reporting', interrupted);
    await waitFor('some steps', async () => (await checkpointsOf(server.api, interrupted).catch(() => [])).length > 2);
    await agents.kill();
    const before = agents.printed;
    agents = await start(token);
    expect(await endOf(server.api, interrupted)).toMatchObject({ status: 'completed', runs: 1 });
    expect(await checkpointsOf(server.api, interrupted)).toHaveLength(40);
    const lines = (before + agents.printed).match(/\{"level".*\}/g) ?? [];
    const warnings = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
    // On a busy machine, the first response may be late enough to count as missing.
    expect(warnings.filter((msg) => !/does not answer|answers again/.test(msg))).toEqual([
      'run stopped at its budget',
      'runs were interrupted',
    ]);
  });

  it('gives its programs narrower ones, and never its own', async () => {
    const token = await tokenFor('--scope', 'runner', '--agent', ...Object.keys(AGENTS));
    agents = await start(token);
    const { said, end } = await environmentOfProgram();
    const given = /^WAYSTATION_TOKEN=(wst_[\w-]{43})$/m.exec(said)?.[1];
    for (const secret of [token, server.storage.secret]) expect(said).not.toContain(secret);
    const own = server.api.as(given!);
    expect((await own.post('/v1/tokens', { scope: 'runner' })).status).toBe(403);
    for (const path of ['/approvals', '/threads', '/v1/tokens']) expect((await own.get(path)).status).toBe(403);
    own.close();
    await end();
  });
});

describe('An agent process whose token does not fit its agents', () => {
  const TWO = { support: AGENTS.writing, 'two words': AGENTS.writing };
  const COMMAND = "npx waystation token create --scope runner --agents support 'two words'";

  async function refusal(token: string): Promise<string> {
    const file = path.join(server.storage.home, 'two.json');
    await writeFile(file, JSON.stringify({ agents: TWO, triggers: [{ type: 'webhook', endpoint: '/run' }] }));
    const env = { WAYSTATION_API_URL: server.api.baseUrl, WAYSTATION_TOKEN: token, WAYSTATION_AGENT_PORT: '0' };
    const { code, stdout, stderr } = await runCommand(server.storage, ['agent', file], env);
    expect([code, stdout]).toEqual([2, '']);
    return stderr;
  }

  it('ends before it listens, and names the command that makes the right token', async () => {
    const token = await tokenFor('--scope', 'runner', '--agents', 'support', 'billing');
    expect(await refusal(token)).toBe(
      `The token is for support, billing and may not report for two words (WAYSTATION_TOKEN). Set WAYSTATION_TOKEN to one that the server makes with:\n  ${COMMAND}\n`,
    );
    expect(await refusal(await tokenFor('--scope', 'approver'))).toContain(
      'A token of scope approver cannot run agents',
    );
    const unknown = await refusal(`wst_${'x'.repeat(43)}`);
    expect(unknown).toContain(`The server at ${server.api.baseUrl} does not accept the token`);
    expect(unknown).toContain(COMMAND);
  });

  it('learns of agents that a changed file adds by their refused heartbeats', async () => {
    const token = await tokenFor('--scope', 'runner', '--agents', 'support');
    const env = { WAYSTATION_TOKEN: token, WAYSTATION_LOG_LEVEL: 'warn' };
    const { storage, api } = server;
    const { support } = TWO;
    agents = await AgentRunner.start({ storage, apiUrl: api.baseUrl, agents: { support }, env, args: ['--watch'] });
    const file = path.join(storage.home, 'agents', 'agents.json');
    await writeFile(file, JSON.stringify({ agents: TWO, triggers: [{ type: 'webhook', endpoint: '/run' }] }));
    const said = await waitFor('the warning', () => agents.printed.match(/\{[^\n]*heartbeats refused[^\n]*\n/)?.[0]);
    expect(JSON.parse(said)).toMatchObject({
      agents: ['two words'],
      detail: expect.stringContaining("waystation token create --scope runner --agents 'two words'"),
    });
  });
});

describe('An agent process with a token that is good for more', () => {
  it.each(['the machine secret', 'scope admin'])('says once what that means: %s', async (kind) => {
    const [, scope] = kind.split(' ');
    const token = kind.startsWith('the') ? server.storage.secret : await tokenFor('--scope', scope!);
    agents = await start(token);
    const said = await waitFor('the warning', () => agents.printed.match(/\{[^\n]*may do more than[^\n]*\n/)?.[0]);
    expect(JSON.parse(said)).toMatchObject({ level: 'warn', agents: Object.keys(AGENTS) });
    const { said: variables, end } = await environmentOfProgram();
    expect(variables).not.toContain(token);
    await end();
    expect(agents.printed.match(WORDS)).toHaveLength(1);
  });

  it('never hands on the machine secret, whatever a proxy says before the API', async () => {
    const proxy = createServer((request, response) => {
      response.statusCode = request.url?.startsWith('/v1/runners/threads') ? 404 : 403;
      response.end();
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as { port: number };
    agents = await start(server.storage.secret, `http://127.0.0.1:${port}`);
    await agents.launch('writing', newThreadId());
    const file = path.join(server.storage.home, 'agents', 'environment');
    const environment = await waitFor('the program to end', () => readFile(file, 'utf8').catch(() => undefined));
    expect(environment).toContain('WAYSTATION_TRACE_ID=');
    expect(environment).not.toContain('WAYSTATION_TOKEN');
    expect(environment).not.toContain(server.storage.secret);
    proxy.close().closeAllConnections();
  });
});

/** The environment of a program that runs until `end`. */
async function environmentOfProgram(): Promise<{ said: string; end: () => Promise<unknown> }> {
  const [threadId, folder] = [newThreadId(), path.join(server.storage.home, 'agents')];
  await agents.launch('environment', threadId);
  const file = path.join(folder, 'env');
  const said = await waitFor('the program to begin', () => readFile(file, 'utf8').catch(() => undefined));
  const end = () => writeFile(path.join(folder, 'seen'), '').then(() => endOf(server.api, threadId));
  return { said, end };
}
