import { createServer, type AddressInfo, type Server } from 'node:net';
import { once } from 'node:events';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { bodiesOf, BAD_BODIES } from '../../factories/bad-hooks.js';
import { claudeAsks, claudeInput, codexAsks, codexInput } from '../../factories/hook-inputs.js';
import type { Answer, ApiClient } from '../../support/api-client.js';
import { approvalsOf, decided, statusesOf, type Approval, type Verb } from '../../support/approvals.js';
import { runCommand } from '../../support/command.js';
import { startHook } from '../../support/hook-process.js';
import { LosingLink } from '../../support/losing-link.js';
import { problemOf } from '../../support/problem.js';
import { detailOf, latestOf, ok, runStatusOf } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { freshStorage } from '../../support/storage.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const server = useServer();
const env = () => ({ WAYSTATION_API_URL: server.api.baseUrl, WAYSTATION_TOKEN: server.api.token });
const hook = (platform: 'claude' | 'codex', input: object | string, ...args: string[]) =>
  startHook(server.storage, [platform, '--patience', '60', ...args], input, env());

function post(
  api: ApiClient,
  platform: string,
  input: object | string,
  key: string | null,
  wait = '0',
): Promise<Answer> {
  const headers = key === null ? undefined : { 'idempotency-key': key };
  return api.post(`/v1/runners/hooks/${platform}?wait=${wait}`, input, { headers });
}

async function pendingOf(threadId: string, count = 1): Promise<Approval[]> {
  return waitFor('the approvals', async () => {
    const found = await approvalsOf(server.api, threadId);
    return found.length === count && found;
  });
}

interface HookEntry {
  type: string;
  command: string;
  timeout: number;
}

const output = (decision: object) => ({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } });

describe('A coding agent that asks for permission', () => {
  it.each([
    ['claude', claudeAsks],
    ['codex', codexAsks],
  ] as const)('gets what a person decides: %s', async (platform, asks) => {
    const input = asks('npm publish');
    const threadId = `${platform}:${String(input.session_id)}`;
    const [allowed, denied] = [
      hook(platform, input),
      hook(platform, { ...input, tool_input: { command: 'rm -rf /' } }),
    ];
    const pending = await pendingOf(threadId, 2);
    const of = (command: string) => pending.find(({ tool_calls }) => JSON.stringify(tool_calls).includes(command))!;
    expect(of('npm publish').tool_calls[0]).toMatchObject({ name: 'Bash', args: input.tool_input });
    await decided(server.api, 'approve', { traceId: of('npm publish').trace_id }, 0, { decided_by: 'Ada' });
    await decided(server.api, 'reject', { traceId: of('rm -rf /').trace_id }, 0, { reason: 'Not today.' });
    const [yes, no] = [await allowed.ended, await denied.ended];
    expect([yes.code, JSON.parse(yes.stdout), yes.stderr]).toEqual([0, output({ behavior: 'allow' }), '']);
    const deny = output({ behavior: 'deny', message: 'Not today.' });
    expect([no.code, JSON.parse(no.stdout), no.stderr]).toEqual([0, deny, '']);
  });

  it('gets the edited input exactly, if it is Claude Code', async () => {
    const input = claudeAsks('npm publish');
    const asking = hook('claude', input);
    const [approval] = await pendingOf(`claude:${String(input.session_id)}`);
    const args = '{"command":"npm publish --dry-run","big":12345678901234567890}';
    const body = `{"decisions":[{"index":0,"decision":"approve","args":${args}}]}`;
    await decided(server.api, 'approve', { traceId: approval!.trace_id }, 0, body);
    const { stdout } = await asking.ended;
    expect(stdout).toContain(`"behavior":"allow","updatedInput":${args}`);
  });

  it('cannot get edited input, if it is Codex', async () => {
    const input = codexAsks('npm publish');
    expect((await post(server.api, 'codex', input, 'k')).status).toBe(202);
    const [approval] = await approvalsOf(server.api, `codex:${String(input.session_id)}`);
    const decisions = [{ index: 0, decision: 'approve', args: { command: 'ls' } }];
    problemOf(await server.api.post(`/approvals/${approval!.trace_id}/0/approve`, { decisions }), 409);
  });

  it('asks twice where it asks for the same twice', async () => {
    const input = claudeAsks('npm test');
    const threadId = `claude:${String(input.session_id)}`;
    const [one, two] = [hook('claude', input), hook('claude', input)];
    const [first, second] = await pendingOf(threadId, 2);
    await decided(server.api, 'approve', { traceId: first!.trace_id }, 0);
    await decided(server.api, 'reject', { traceId: second!.trace_id }, 0, { reason: 'Once is enough.' });
    const printed = (await Promise.all([one.ended, two.ended])).map(({ stdout }) => stdout);
    expect(printed.filter((text) => text.includes('"allow"'))).toHaveLength(1);
    expect(printed.filter((text) => text.includes('Once is enough.'))).toHaveLength(1);
  });

  it('is not approved where its arguments are others than a person was asked about', async () => {
    const [input, key] = [claudeAsks('ls'), randomUUID()];
    expect((await post(server.api, 'claude', input, key)).status).toBe(202);
    const [approval] = await approvalsOf(server.api, `claude:${String(input.session_id)}`);
    await decided(server.api, 'approve', { traceId: approval!.trace_id }, 0);
    const other = { ...input, tool_input: { command: 'rm -rf /' } };
    expect(problemOf(await post(server.api, 'claude', other, key), 422).code).toBe('idempotency_key_reused');
    const answer = ok(await post(server.api, 'claude', input, key));
    expect(answer.json()).toEqual(output({ behavior: 'allow' }));
  });

  it('hears of the decision at once', async () => {
    const [input, key] = [claudeAsks('ls'), randomUUID()];
    await post(server.api, 'claude', input, key);
    const asking = post(server.api, 'claude', input, key, '60').then((answer) => ({ answer, atMs: performance.now() }));
    const [approval] = await pendingOf(`claude:${String(input.session_id)}`);
    await decided(server.api, 'approve', { traceId: approval!.trace_id }, 0);
    const sinceMs = performance.now();
    const { answer, atMs } = await asking;
    ok(answer);
    // 50 ms on a machine that does nothing else.
    expect(atMs - sinceMs).toBeLessThan(1_000);
  });

  it('does not wait for what is superseded, and leaves no run open that was decided', async () => {
    const input = claudeAsks('ls');
    const threadId = `claude:${String(input.session_id)}`;
    await post(server.api, 'claude', input, 'first');
    const waiting = post(server.api, 'claude', input, 'first', '60');
    await post(server.api, 'claude', { ...input, prompt_id: randomUUID() }, 'second');
    expect((await waiting).status).toBe(204);
    const [approval] = await approvalsOf(server.api, threadId);
    await decided(server.api, 'approve', { traceId: approval!.trace_id }, 0);
    ok(await post(server.api, 'claude', { ...input, prompt_id: approval!.parent_trace_id }, 'second'));
    const { run_list: runs } = (await detailOf(server.api, threadId)) as { run_list: Record<string, unknown>[] };
    expect(runs.find(({ trace_id }) => trace_id === approval!.trace_id)).toMatchObject({ status: 'completed' });
    expect((await statusesOf(server.api, threadId)).sort()).toEqual(['0 approved', '0 superseded']);
  });

  it('speaks only for the agents of its token', async () => {
    const made = await server.api.post('/v1/tokens', { scope: 'runner', agent_ids: ['kims-laptop'] });
    const api = server.api.as(made.json<{ token: string }>().token);
    const input = claudeAsks('ls');
    expect((await post(api, 'claude', input, 'k')).status).toBe(202);
    const [approval] = await approvalsOf(server.api, `claude:${String(input.session_id)}`);
    expect(approval!.agent_id).toBe('kims-laptop');
    problemOf(await api.post(`/approvals/${approval!.trace_id}/0/approve`, {}), 403);
    const other = await api.post('/v1/runners/hooks/claude?agent_id=other', claudeAsks('ls'));
    expect(problemOf(other, 403).code).toBe('agent_not_allowed');
  });
});

describe('The settings to paste', () => {
  it.each([
    ['claude', ['PostToolUse', 'PostToolUseFailure', 'SessionEnd', 'SessionStart', 'Stop', 'StopFailure']],
    ['codex', ['Interrupt', 'PostToolUse', 'SessionEnd', 'SessionStart', 'Stop']],
  ])('wait for people as long as they may take, and name all that is recorded: %s', async (platform, recorded) => {
    const agent = "Kim's laptop; exit 7 $HOME";
    const asked = ['--agent', agent, '--channel', 'a-b', '--chat', '-100 4711', '--on-timeout', 'deny'];
    const { code, stdout } = await runCommand(server.storage, ['hook', platform, ...asked]);
    const { hooks } = JSON.parse(stdout) as { hooks: Record<string, [{ hooks: [HookEntry] }]> };
    expect([code, Object.keys(hooks).sort()]).toEqual([
      0,
      [...recorded, 'PermissionRequest', 'UserPromptSubmit'].sort(),
    ]);
    for (const [event, [{ hooks: entries }]] of Object.entries(hooks)) {
      const [{ type, command, timeout }] = entries;
      expect([event, type, timeout]).toEqual([event, 'command', event === 'PermissionRequest' ? 600 : 10]);
      const shell = `waystation() { printf '%s\\n' "$@"; }; ${command}`;
      const { stdout: seen } = await promisify(execFile)('/bin/sh', ['-c', shell]);
      expect(seen.trimEnd().split('\n')).toEqual(['hook', 'run', platform, ...asked]);
    }
  });
});

describe('The session of a coding agent', () => {
  it('is a thread, its turns are runs, and what was said and done is in it', async () => {
    const ids = { session_id: randomUUID(), prompt_id: randomUUID() };
    const used = {
      tool_name: 'Bash',
      tool_input: { command: 'ls' },
      tool_use_id: 'toolu_1',
      tool_response: { stdout: 'a.ts' },
    };
    const inputs = [
      claudeInput('SessionStart', { ...ids, source: 'startup' }),
      claudeInput('UserPromptSubmit', { ...ids, prompt: 'Tidy up' }),
      claudeInput('PostToolUse', { ...ids, ...used }),
      claudeInput('PostToolUse', { ...ids, ...used, tool_use_id: 'toolu_2' }),
      claudeInput('Stop', { ...ids, stop_hook_active: false, last_assistant_message: 'All is tidy.' }),
      claudeInput('SessionEnd', { ...ids, reason: 'exit' }),
    ];
    for (const input of inputs) expect((await post(server.api, 'claude', input, randomUUID())).status).toBe(204);
    const detail = (await detailOf(server.api, `claude:${ids.session_id}`)) as {
      run_list: Record<string, unknown>[];
      logs: Record<string, unknown>[];
    };
    expect(detail.run_list).toMatchObject([{ trace_id: ids.prompt_id, agent_id: 'claude-code', status: 'completed' }]);
    const said = detail.logs.map(({ kind, message }) => `${String(kind)} ${String(message).slice(0, 12)}`).join('\n');
    for (const part of ['user Tidy up', 'tool_call', 'tool_result', 'assistant All is tidy', 'hook_SessionStart'])
      expect(said + JSON.stringify(detail.logs)).toContain(part);
  });

  it('has the tool calls that failed, with what went wrong', async () => {
    const ids = { session_id: randomUUID(), prompt_id: randomUUID() };
    const failed = {
      ...{ tool_name: 'Bash', tool_input: { command: 'npm test' }, tool_use_id: 'toolu_1' },
      ...{ error: 'Command exited with non-zero status code 1', is_interrupt: false, duration_ms: 4187 },
    };
    await post(server.api, 'claude', claudeInput('PostToolUseFailure', { ...ids, ...failed }), randomUUID());
    const { history } = await latestOf(server.api, `claude:${ids.session_id}`);
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: failed.error, is_error: true };
    expect(history.at(-1)).toEqual({ role: 'user', content: [result] });
  });

  it('ends turns that a person interrupted with the next prompt or with the session, and turns that failed with their error', async () => {
    const session_id = randomUUID();
    const send = async (event: string, prompt_id: string, fields = {}) => {
      const input = claudeInput(event, { session_id, prompt_id, ...fields });
      expect((await post(server.api, 'claude', input, randomUUID())).status).toBe(204);
    };
    const runs = async () => {
      const { run_list } = (await detailOf(server.api, `claude:${session_id}`)) as {
        run_list: Record<string, string>[];
      };
      return Object.fromEntries(run_list.map(({ trace_id, status }) => [trace_id, status]));
    };
    await send('UserPromptSubmit', 'one', { prompt: 'Tidy up' });
    await post(server.api, 'claude', claudeAsks('rm -r build', { session_id, prompt_id: 'one' }), randomUUID());
    await send('UserPromptSubmit', 'two', { prompt: 'No, only look' });
    expect(await runs()).toMatchObject({ one: 'cancelled', two: 'in_progress' });
    expect(await statusesOf(server.api, `claude:${session_id}`)).toEqual(['0 superseded']);
    await send('StopFailure', 'two', { error: 'rate_limit', last_assistant_message: 'API Error: Rate limit reached' });
    await send('UserPromptSubmit', 'three', { prompt: 'Again' });
    const failure = { tool_name: 'Bash', tool_input: {}, error: 'Interrupted by user', is_interrupt: true };
    await send('PostToolUseFailure', 'three', failure);
    expect(await runs()).toMatchObject({ two: 'error', three: 'cancelled' });
    await send('UserPromptSubmit', 'four', { prompt: 'Go on' });
    await send('SessionEnd', 'four', { reason: 'prompt_input_exit' });
    expect(await runs()).toMatchObject({ two: 'error', three: 'cancelled', four: 'cancelled' });
    const { logs, run_list } = await detailOf(server.api, `claude:${session_id}`);
    const told = JSON.stringify([logs, run_list]);
    expect(told).toContain('The run was cancelled: The session ended.');
    expect(told).toContain('API Error: Rate limit reached');
  });

  it('ends at once what a person interrupted in Codex, and begins again where prompts have no name', async () => {
    const ids = { session_id: randomUUID(), turn_id: randomUUID() };
    const codex = async (event: string) =>
      post(server.api, 'codex', codexInput(event, { ...ids, prompt: 'Tidy' }), null);
    for (const event of ['UserPromptSubmit', 'Interrupt']) await codex(event);
    expect(await runStatusOf(server.api, `codex:${ids.session_id}`)).toBe('cancelled');
    const old = { session_id: randomUUID(), prompt_id: undefined, prompt: 'Tidy up' };
    const claude = async (event: string) => post(server.api, 'claude', claudeInput(event, old), null);
    for (const event of ['UserPromptSubmit', 'SessionEnd']) await claude(event);
    expect(await runStatusOf(server.api, `claude:${old.session_id}`)).toBe('cancelled');
    await claude('UserPromptSubmit');
    expect(await runStatusOf(server.api, `claude:${old.session_id}`)).toBe('in_progress');
  });

  it('ends no runs of other agents', async () => {
    const input = claudeInput('UserPromptSubmit', { prompt: 'Tidy up' });
    const send = async (event: string, agent: string) =>
      server.api.post(`/v1/runners/hooks/claude?agent_id=${agent}`, { ...input, hook_event_name: event });
    await send('UserPromptSubmit', 'kims-laptop');
    await send('SessionEnd', 'other');
    expect(await runStatusOf(server.api, `claude:${String(input.session_id)}`)).toBe('in_progress');
  });

  it('of Codex, too, and the command prints nothing for what is only recorded', async () => {
    const ids = { session_id: randomUUID(), turn_id: randomUUID() };
    const used = {
      tool_name: 'apply_patch',
      tool_input: { command: '*** Begin' },
      tool_use_id: 'c1',
      tool_response: 'ok',
    };
    const { code, stdout, stderr } = await hook('codex', codexInput('PostToolUse', { ...ids, ...used })).ended;
    expect([code, stdout, stderr]).toEqual([0, '', '']);
    const detail = await detailOf(server.api, `codex:${ids.session_id}`);
    expect(detail).toMatchObject({
      model: 'gpt-5',
      run_list: [{ trace_id: ids.turn_id, agent_id: 'codex', steps: 1 }],
    });
  });
});

describe('A hook never keeps a coding agent from its work', () => {
  it('when the server is away: the terminal asks', async () => {
    const { WAYSTATION_TOKEN } = env();
    const sinceMs = performance.now();
    const away = { WAYSTATION_TOKEN, WAYSTATION_API_URL: 'http://127.0.0.1:9' };
    const { code, stdout, stderr, endedMs } = await startHook(server.storage, ['claude'], claudeAsks('ls'), away).ended;
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/^Waystation does not answer: .*\n$/);
    // Three seconds, and the start of a process on a machine that is busy with other tests.
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
      // Three seconds on a machine that does nothing else. Without a question beside it, the request alone would wait for more than 20 s.
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
    expect([code, JSON.parse(stdout)]).toEqual([0, output(decision)]);
    const threadId = `claude:${String(input.session_id)}`;
    await waitFor('the end of the approval', async () =>
      (await statusesOf(server.api, threadId)).includes('0 expired'),
    );
  });

  it('with an approval that is open for as long as it waits', async () => {
    for (const [query, seconds] of [
      ['', 600],
      ['timeout=90.5', 90.5],
    ] as const) {
      const input = claudeAsks('ls');
      expect((await server.api.post(`/v1/runners/hooks/claude?${query}`, input)).status).toBe(202);
      const [approval] = await approvalsOf(server.api, `claude:${String(input.session_id)}`);
      expect(Date.parse(approval!.expires_at!) - Date.parse(approval!.created_at)).toBe(seconds * 1000);
    }
    for (const timeout of ['0', '0.0', '-1', '100000', '1e3', '', 'x']) {
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
        const answer = await post(server.api, platform, body, null);
        if (answer.status < 400 || answer.status >= 500) throw new Error(`${name}: ${answer.status}`);
        problemOf(answer, answer.status);
      }
    }
    for (const body of bodiesOf(200)) {
      const answer = await post(server.api, 'claude', body, null);
      if (![202, 204, 400, 413, 422].includes(answer.status))
        throw new Error(`${answer.status}: ${body.slice(0, 300)}`);
    }
  });
});

describe('A server that is killed while a hook waits', () => {
  it('gives the same decision when it is asked again with the same key', async () => {
    const storage = await freshStorage();
    let own = await ServerProcess.start(storage);
    const WAYSTATION_PORT = new URL(own.api.baseUrl).port;
    try {
      const [input, key] = [claudeAsks('npm publish'), randomUUID()];
      const asking = startHook(storage, ['claude', '--patience', '120'], input, {
        WAYSTATION_API_URL: own.api.baseUrl,
        WAYSTATION_TOKEN: own.api.token,
      });
      expect((await post(own.api, 'claude', input, key)).status).toBe(202);
      const threadId = `claude:${String(input.session_id)}`;
      const pending = await waitFor('both', async () => {
        const found = await approvalsOf(own.api, threadId);
        return found.length === 2 && found;
      });
      for (const { trace_id } of pending.slice(0, 1)) await decided(own.api, 'approve', { traceId: trace_id }, 0);
      const [edited, refused] = [claudeAsks('npm publish'), claudeAsks('rm -rf /')];
      const decisionOn = async (ask: Record<string, unknown>, verb: Verb, body: object | string) => {
        const { trace_id: traceId } = (await post(own.api, 'claude', ask, String(ask.session_id))).json<Approval>();
        await decided(own.api, verb, { traceId }, 0, body);
      };
      const args = '{"command":"npm publish --dry-run","big":12345678901234567890}';
      await decisionOn(edited, 'approve', `{"decisions":[{"index":0,"decision":"approve","args":${args}}]}`);
      await decisionOn(refused, 'reject', { reason: 'Not on a "Friday".' });
      await own.kill();
      own = await ServerProcess.start(storage, { env: { WAYSTATION_PORT } });
      await decided(own.api, 'approve', { traceId: pending[1]!.trace_id }, 0);
      expect(ok(await post(own.api, 'claude', input, key)).json()).toEqual(output({ behavior: 'allow' }));
      expect(ok(await post(own.api, 'claude', edited, String(edited.session_id))).text).toBe(
        `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":${args}}}}`,
      );
      const denied = ok(await post(own.api, 'claude', refused, String(refused.session_id))).json();
      expect(denied).toEqual(output({ behavior: 'deny', message: 'Not on a "Friday".' }));
      const { code, stdout } = await asking.ended;
      expect([code, JSON.parse(stdout)]).toEqual([0, output({ behavior: 'allow' })]);
      expect(await statusesOf(own.api, threadId)).toEqual(['0 approved', '0 approved']);
    } finally {
      await own.stop();
      await storage.dispose();
    }
  });
});
