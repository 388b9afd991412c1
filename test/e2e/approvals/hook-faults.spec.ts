import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { BAD_BODIES, bodiesOf } from '../../factories/bad-hooks.js';
import { claudeAsks, claudeInput, codexAsks, codexInput } from '../../factories/hook-inputs.js';
import { approvalsOf, statusesOf } from '../../support/approvals.js';
import { startHook } from '../../support/hook-process.js';
import { hookOutput, postHook } from '../../support/hook-requests.js';
import { LosingLink } from '../../support/losing-link.js';
import { problemOf } from '../../support/problem.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const server = useServer();
const env = () => ({ WAYSTATION_API_URL: server.api.baseUrl, WAYSTATION_TOKEN: server.api.token });
const hook = (platform: 'claude' | 'codex', input: object | string, ...args: string[]) =>
  startHook(server.storage, [platform, '--patience', '60', ...args], input, env());

describe('A hook never keeps a coding agent from its work', () => {
  it('when the server is away: the terminal asks', async () => {
    const { WAYSTATION_TOKEN } = env();
    const sinceMs = performance.now();
    const away = { WAYSTATION_TOKEN, WAYSTATION_API_URL: 'http://127.0.0.1:9' };
    const { code, stdout, stderr, endedMs } = await startHook(server.storage, ['claude'], claudeAsks('ls'), away).ended;
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/^Waystation does not answer: .*\n$/);
    // Three seconds, plus the start of a process on a machine busy with other tests.
    expect(endedMs - sinceMs).toBeLessThan(20_000);
  });

  it('when the server is away and there is something to record, which is tried once', async () => {
    const broken = createServer((socket) => {
      tried += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    let tried = 0;
    await once(broken, 'listening');
    const { port } = broken.address() as AddressInfo;
    const target = { ...env(), WAYSTATION_API_URL: `http://127.0.0.1:${port}` };
    for (const event of ['UserPromptSubmit', 'PostToolUse']) {
      const args = ['claude', '--patience', '60'];
      const { code, stdout, stderr } = await startHook(server.storage, args, claudeInput(event), target).ended;
      expect([code, stdout, stderr]).toEqual([0, '', expect.stringMatching(/^Waystation does not .*recorded\.\n$/)]);
    }
    expect(tried).toBe(2);
    broken.close();
  });

  it('when something listens that never answers', async () => {
    const silent: Server = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    const target = { ...env(), WAYSTATION_API_URL: `http://127.0.0.1:${port}` };
    for (const input of [codexAsks('ls'), codexInput('Stop')]) {
      const { code, stdout } = await startHook(server.storage, ['codex'], input, target).ended;
      expect([code, stdout]).toEqual([0, '']);
    }
    silent.close();
  });

  it('when the server vanishes while a request waits, and no connection ends', async () => {
    const link = await LosingLink.to(server.api.baseUrl);
    try {
      link.lastStatus = 202;
      const target = { ...env(), WAYSTATION_API_URL: link.url };
      const asking = startHook(server.storage, ['claude'], claudeAsks('ls'), target);
      await waitFor('the silence', () => link.isSilent);
      const sinceMs = performance.now();
      const { code, stdout, stderr, endedMs } = await asking.ended;
      expect([code, stdout]).toEqual([0, '']);
      expect(stderr).toMatch(/^Waystation does not answer: .*\n$/);
      // Three seconds on an idle machine. The request alone, with no question at the same time, would wait for over 20 s.
      expect(endedMs - sinceMs).toBeLessThan(18_000);
    } finally {
      await link.close();
    }
  });

  it('when nobody decides in time: it asks the terminal, or denies where that was said', async () => {
    const short = ['--timeout', '3'];
    const input = claudeAsks('ls');
    const [asks, denies] = [
      hook('claude', input, ...short),
      hook('claude', claudeAsks('ls'), ...short, '--on-timeout', 'deny'),
    ];
    expect(await asks.ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const { code, stdout } = await denies.ended;
    const decision = { behavior: 'deny', message: 'Nobody has decided in time.' };
    expect([code, JSON.parse(stdout)]).toEqual([0, hookOutput(decision)]);
    const threadId = `claude:${String(input.session_id)}`;
    await waitFor('the end of the approval', async () =>
      (await statusesOf(server.api, threadId)).includes('0 expired'),
    );
  });

  it('with an approval that is open for as long as it waits', async () => {
    for (const [query, seconds] of [
      ['', 600],
      ['timeout=', 600],
      ['timeout=90.5', 90.5],
    ] as const) {
      const input = claudeAsks('ls');
      expect((await server.api.post(`/v1/runners/hooks/claude?${query}`, input)).status).toBe(202);
      const [approval] = await approvalsOf(server.api, `claude:${String(input.session_id)}`);
      expect(Date.parse(approval!.expires_at!) - Date.parse(approval!.created_at)).toBe(seconds * 1000);
    }
    for (const timeout of ['0', '0.0', '-1', '100000', '1e3', 'x']) {
      const answer = await server.api.post(`/v1/runners/hooks/claude?timeout=${timeout}`, claudeAsks('ls'));
      expect(problemOf(answer, 400).detail).toContain('timeout');
    }
  });

  it('when the server refuses: a line for people, nothing for the agent', async () => {
    for (const input of ['', '[]', '{"hook_event_name":"Stop"}']) {
      const { code, stdout, stderr } = await hook('claude', input).ended;
      expect([code, stdout, stderr.split('\n').length]).toEqual([0, '', 2]);
    }
    const wrong = { ...env(), WAYSTATION_TOKEN: 'wrong' };
    const { code, stdout, stderr } = await startHook(server.storage, ['claude'], claudeAsks('ls'), wrong).ended;
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/^Waystation refused \(401\)/);
  });

  it('when it is called wrongly: no exit code that blocks', async () => {
    for (const args of [[], ['gemini'], ['claude', '--nonsense'], ['claude', '--on-timeout', 'allow']]) {
      const { code, stdout, stderr } = await startHook(server.storage, args, '{}', env()).ended;
      expect([code, stdout, stderr === '']).toEqual([1, '', false]);
    }
  });

  it('whatever it is given', async () => {
    for (const [name, body] of BAD_BODIES) {
      for (const platform of ['claude', 'codex']) {
        const answer = await postHook(server.api, platform, body, null);
        if (answer.status < 400 || answer.status >= 500) throw new Error(`${name}: ${answer.status}`);
        problemOf(answer, answer.status);
      }
    }
    const deep = `{"a: b; c":${'['.repeat(1100)}${']'.repeat(1100)}}`;
    const named = JSON.stringify({ session_id: 's', hook_event_name: 'PermissionRequest', tool_name: 'B' });
    const answer = await postHook(server.api, 'claude', `${named.slice(0, -1)},"tool_input":${deep}}`, null);
    const problem = problemOf(answer, 400);
    expect(new Set(problem.errors?.map(({ path }) => path))).toEqual(new Set(['tool_input']));
    for (const { detail } of problem.errors ?? []) expect(detail).not.toContain('b; c');
    for (const body of bodiesOf(200)) {
      const answer = await postHook(server.api, 'claude', body, null);
      if (![202, 204, 400, 413, 422].includes(answer.status))
        throw new Error(`${answer.status}: ${body.slice(0, 300)}`);
    }
  });
});
