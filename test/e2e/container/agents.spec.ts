import { newThreadId } from '../../factories/events.js';
import { endOf } from '../../support/agent-runner.js';
import { ApiClient } from '../../support/api-client.js';
import { describeWithContainers } from '../../support/containers/container-host.js';
import { freePort } from '../../support/free-port.js';
import { cancel } from '../../support/cancel.js';
import { checkpointsOf, detailOf, latestOf, record, threadPath } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';
import { AgentFolder, freeHostPorts, TWO_PORTS, type HostPorts } from './container-agents.js';

const BUILD_MS = 300_000;
const GREETING = 'a secret greeting';
/** Kills the agent process from within the container, without giving it a chance to react. */
const KILL = `
  const { readdirSync, readFileSync } = require('fs');
  for (const pid of readdirSync('/proc').filter(Number)) {
    if (readFileSync('/proc/' + pid + '/cmdline', 'utf8').startsWith('node\\0/opt/waystation/dist/cli.js')) process.kill(pid, 'SIGKILL');
  }`;

/** Lists the programs at work in the container. */
const PROGRAMS = `
  const { readdirSync, readFileSync } = require('fs');
  for (const pid of readdirSync('/proc').filter(Number)) {
    try { console.log(readFileSync('/proc/' + pid + '/cmdline', 'utf8').replaceAll('\\0', ' ')); } catch {}
  }`;

// A fixed port, so that it is found again after a restart.
const server = useServer({ env: { WAYSTATION_PORT: String(await freePort()) } });

describeWithContainers('Agents in a container', server, (host) => {
  let file: string;
  let ports: HostPorts;
  let name: string;

  const runWith = (timeoutMs: number, ...flags: string[]) =>
    host.waystation(['run', file, ...flags], {
      SHOP_GREETING: GREETING,
      WAYSTATION_SHUTDOWN_TIMEOUT_MS: String(timeoutMs),
    });
  const run = (...flags: string[]) => runWith(10_000, ...flags);
  const post = async (port: number, path: string, message: string) => {
    const client = new ApiClient(`http://127.0.0.1:${port}`, '');
    const threadId = newThreadId();
    const answer = await client.post(path, { message, thread_id: threadId });
    client.close();
    expect(answer.status).toBe(202);
    return threadId;
  };
  const answerOf = async (threadId: string) => {
    expect(await endOf(server.api, threadId)).toMatchObject({ status: 'completed' });
    return String((await checkpointsOf(server.api, threadId)).at(-1)?.history.at(-1)?.content);
  };
  const untilReported = (threadId: string) =>
    waitFor('the first step', async () => (await checkpointsOf(server.api, threadId).catch(() => [])).length > 0);
  const agentToken = async () => {
    const { items } = (await server.api.get('/v1/tokens')).json<{ items: { name: string; agent_ids: string[] }[] }>();
    return items.find((token) => token.name === `container ${name}`);
  };

  beforeAll(async () => {
    file = await (await AgentFolder.make(server)).write('agents.json', TWO_PORTS);
    ports = await freeHostPorts();
    // The run that continues after the replacement never ends by itself.
    const started = await runWith(0, ...ports.flags);
    expect(started).toMatchObject({ code: 0, stderr: '' });
    name = /^(\S+) runs /m.exec(started.stdout)?.[1] ?? '';
    expect(started.stdout).toContain(
      `curl -H 'Content-Type: application/json' -d '{"message": "Hello"}' http://127.0.0.1:${ports.ask}/ask`,
    );
  }, BUILD_MS);
  afterAll(async () => {
    host.engine('rm', '--force', name);
    host.engine('volume', 'rm', '--force', `${name}-state`);
  });

  it('are started by webhooks, and their programs may do nothing but report as themselves', async () => {
    const secret = { thread_id: 'secret', trace_id: 'secret-run', agent_id: 'boss', step_index: 0, history: [] };
    const pending_tool_calls = [{ id: 'call-1', name: 'pay', args: {} }];
    await record(server.api, { type: 'checkpoint', data: { ...secret, pending_tool_calls } });
    const found: unknown = JSON.parse(await answerOf(await post(ports.ask, '/ask', 'what may you do?')));
    expect(found).toEqual({
      ...{ url: 'http://127.0.0.1:8000', user: 10_001, greeting: GREETING, canWriteHere: false },
      ...{ own: 200, other: expect.any(Number), threads: 403, approve: 403, token: 403 },
    });
    expect([403, 404]).toContain((found as { other: number }).other);
  });

  it('are known to the API under an address that it can reach', async () => {
    const { items } = (await server.api.get('/v1/agents')).json<{ items: { agent_id: string; endpoint: string }[] }>();
    expect(items.map(({ agent_id, endpoint }) => [agent_id, endpoint])).toEqual([
      ['ask', `http://127.0.0.1:${ports.ask}`],
      ['slow', `http://127.0.0.1:${ports.ask}/agents/slow`],
    ]);
    const client = new ApiClient(items[1]!.endpoint, '');
    expect((await client.post('/agents/slow/invoke', { message: 'without a token' })).status).toBe(401);
    client.close();
  });

  it('listen on the loopback address only, and show their token to nobody', async () => {
    const [inspected] = JSON.parse(host.engine('inspect', name).stdout) as [object];
    const bindings = JSON.stringify(inspected).match(/"HostIp":"[^"]*"/g);
    expect(new Set(bindings)).toEqual(new Set(['"HostIp":"127.0.0.1"']));
    const token = host.engine('exec', name, 'cat', '/run/waystation-secrets/token').stdout.trim();
    expect(token).toMatch(/^wst_/);
    expect(JSON.stringify(inspected)).not.toContain(token);
    expect(await agentToken()).toMatchObject({ scope: 'runner', agent_ids: ['ask', 'slow'] });
  });

  it('find the API again after it was killed', async () => {
    await server.process.kill();
    const threadId = await post(ports.slow, '/slow', '0.1');
    await server.restart();
    expect(await answerOf(threadId)).toBe('in one go');
  });

  it('go on with their runs when the process is killed', async () => {
    const threadId = await post(ports.slow, '/slow', '600');
    await untilReported(threadId);
    host.engine('exec', name, 'node', '-e', KILL);
    expect(await answerOf(threadId)).toBe('resumed');
  });

  it('end with their runs that people cancel, and go on with those that they retry', async () => {
    const programs = () => host.engine('exec', name, 'node', '-e', PROGRAMS).stdout;
    const threadId = await post(ports.slow, '/slow', '600');
    await untilReported(threadId);
    const { trace_id: traceId } = await latestOf(server.api, threadId);
    expect(programs()).toContain('slow.py');
    expect((await cancel(server.api, threadId, String(traceId))).status).toBe(200);
    await waitFor('the end of the program', () => !programs().includes('slow.py'));
    expect(await endOf(server.api, threadId)).toMatchObject({ status: 'cancelled' });
    const retry = () => server.api.post(threadPath(threadId, `/runs/${traceId}/retry`));
    await waitFor('its retry', async () => (await retry()).status === 202);
    const status = async () => (await detailOf(server.api, threadId)).status;
    await waitFor('its answer', async () => (await status()) === 'completed');
    expect(await answerOf(threadId)).toBe('resumed');
  });

  it('are listed, and show what they log', async () => {
    const listed = await host.waystation(['ps', '--json']);
    expect(JSON.parse(listed.stdout)).toMatchObject({
      ...{ name, file, status: 'running' },
      ports: expect.arrayContaining([{ host: ports.ask, container: 9100 }]),
    });
    expect((await host.waystation(['ps'])).stdout).toContain(name);
    const logs = await host.waystation(['logs', file]);
    expect(logs.stdout + logs.stderr).toContain('runs /agent/agents.json');
    expect((await host.waystation(['logs', name, '--tail', '1'])).stdout.trim().split('\n').length).toBeLessThan(2);
  });

  it('are not started twice, but replaced on demand, with what they had stored', async () => {
    const again = await run(...ports.flags);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining(`waystation stop ${name}`) });
    const before = host.engine('inspect', '--format', '{{.Id}}', name).stdout;
    const threadId = await post(ports.slow, '/slow', '600');
    await untilReported(threadId);
    const moved = { ...ports, flags: [...ports.flags.slice(0, 3), `9200=${await freePort()}`] };
    expect(await runWith(0, '--replace', ...moved.flags)).toMatchObject({ code: 0 });
    expect(host.engine('inspect', '--format', '{{.Id}}', name).stdout).not.toBe(before);
    expect(await answerOf(threadId)).toBe('resumed');
    expect((await run('--replace', ...ports.flags)).code).toBe(0);
  });

  it('finish their runs when they are stopped, and their token ends with them', async () => {
    const token = host.engine('exec', name, 'cat', '/run/waystation-secrets/token').stdout.trim();
    const threadId = await post(ports.slow, '/slow', '7');
    await untilReported(threadId);
    const stopped = await host.waystation(['stop', name, '--remove-state']);
    expect(stopped).toMatchObject({ code: 0, stderr: expect.stringContaining('Waiting up to 10.0 s for slow ') });
    expect(await answerOf(threadId)).toBe('in one go');
    expect((await server.api.as(token).post('/v1/runners/events', { events: [] })).status).toBe(401);
    expect(await agentToken()).toBeUndefined();
    expect((await host.waystation(['ps'])).stdout).not.toContain(name);
    expect(host.engine('volume', 'inspect', `${name}-state`).code).not.toBe(0);
    expect(await host.waystation(['stop', file])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('waystation ps'),
    });
  });
});
