import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { claudeAsks, claudeInput, codexInput } from '../../factories/hook-inputs.js';
import { statusesOf } from '../../support/approvals.js';
import { runCommand } from '../../support/command.js';
import { startHook } from '../../support/hook-process.js';
import { postHook } from '../../support/hook-requests.js';
import { detailOf, latestOf, runStatusOf } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();
const env = () => ({ WAYSTATION_API_URL: server.api.baseUrl, WAYSTATION_TOKEN: server.api.token });
const hook = (platform: 'claude' | 'codex', input: object | string, ...args: string[]) =>
  startHook(server.storage, [platform, '--patience', '60', ...args], input, env());

interface HookEntry {
  type: string;
  command: string;
  timeout: number;
}

describe('The settings to paste', () => {
  it.each([
    [
      'claude',
      ['PostToolUse', 'PostToolUseFailure', 'PreToolUse', 'SessionEnd', 'SessionStart', 'Stop', 'StopFailure'],
    ],
    ['codex', ['Interrupt', 'PostToolUse', 'SessionEnd', 'SessionStart', 'Stop']],
  ])('wait for people as long as they may take, and name all that is recorded: %s', async (platform, recorded) => {
    const agent = "Kim's laptop; exit 7 $HOME";
    const asked = ['--agent', agent, '--channel', 'a-b', '--chat', '-100 4711', '--on-timeout', 'deny'];
    const { code, stdout } = await runCommand(server.storage, ['hook', platform, ...asked]);
    const { hooks, ...beside } = JSON.parse(stdout) as { hooks: Record<string, [{ hooks: [HookEntry] }]> };
    expect(beside).toEqual(platform === 'claude' ? { permissions: { defaultMode: 'default' } } : {});
    expect([code, Object.keys(hooks).sort()]).toEqual([
      0,
      [...recorded, 'PermissionRequest', 'UserPromptSubmit'].sort(),
    ]);
    for (const [event, [{ hooks: entries }]] of Object.entries(hooks)) {
      const [{ type, command, timeout }] = entries;
      expect([event, type, timeout]).toEqual([
        event,
        'command',
        ['PermissionRequest', 'PreToolUse'].includes(event) ? 600 : 10,
      ]);
      const { stdout: seen } = await promisify(execFile)('/bin/sh', ['-c', `printf '%s\\n' ${command}`]);
      const [node, cli, ...args] = seen.trimEnd().split('\n');
      expect([path.isAbsolute(node!), cli]).toEqual([true, path.resolve('dist/cli.js')]);
      expect(args).toEqual(['hook', 'run', platform, ...asked]);
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
    for (const input of inputs) expect((await postHook(server.api, 'claude', input, randomUUID())).status).toBe(204);
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
    await postHook(server.api, 'claude', claudeInput('PostToolUseFailure', { ...ids, ...failed }), randomUUID());
    const { history } = await latestOf(server.api, `claude:${ids.session_id}`);
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: failed.error, is_error: true };
    expect(history.at(-1)).toEqual({ role: 'user', content: [result] });
  });

  it('ends turns that a person interrupted with the next prompt or with the session, and turns that failed with their error', async () => {
    const session_id = randomUUID();
    const send = async (event: string, prompt_id: string, fields = {}) => {
      const input = claudeInput(event, { session_id, prompt_id, ...fields });
      expect((await postHook(server.api, 'claude', input, randomUUID())).status).toBe(204);
    };
    const runs = async () => {
      const { run_list } = (await detailOf(server.api, `claude:${session_id}`)) as {
        run_list: Record<string, string>[];
      };
      return Object.fromEntries(run_list.map(({ trace_id, status }) => [trace_id, status]));
    };
    await send('UserPromptSubmit', 'one', { prompt: 'Tidy up' });
    await postHook(server.api, 'claude', claudeAsks('rm -r build', { session_id, prompt_id: 'one' }), randomUUID());
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
      postHook(server.api, 'codex', codexInput(event, { ...ids, prompt: 'Tidy' }), null);
    for (const event of ['UserPromptSubmit', 'Interrupt']) await codex(event);
    expect(await runStatusOf(server.api, `codex:${ids.session_id}`)).toBe('cancelled');
    const old = { session_id: randomUUID(), prompt_id: undefined, prompt: 'Tidy up' };
    const claude = async (event: string) => postHook(server.api, 'claude', claudeInput(event, old), null);
    for (const event of ['UserPromptSubmit', 'SessionEnd']) await claude(event);
    expect(await runStatusOf(server.api, `claude:${old.session_id}`)).toBe('cancelled');
    await claude('UserPromptSubmit');
    expect(await runStatusOf(server.api, `claude:${old.session_id}`)).toBe('in_progress');
    await postHook(server.api, 'claude', claudeAsks('rm -r build', old), randomUUID());
    expect(await statusesOf(server.api, `claude:${old.session_id}`)).toEqual(['0 pending']);
    await claude('UserPromptSubmit');
    expect(await statusesOf(server.api, `claude:${old.session_id}`)).toEqual(['0 superseded']);
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
