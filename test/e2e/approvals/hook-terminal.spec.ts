import { randomUUID } from 'node:crypto';
import { claudeAsks, claudeInput, codexAsks, codexInput } from '../../factories/hook-inputs.js';
import { approvalsOf, decide, decided, statusesOf } from '../../support/approvals.js';
import { startHook } from '../../support/hook-process.js';
import { hookOutput, postHook } from '../../support/hook-requests.js';
import { problemOf } from '../../support/problem.js';
import { detailOf, ok } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const server = useServer();

type Fields = Record<string, unknown>;

/** A turn of a Claude Code session. */
class Turn {
  readonly threadId: string;

  constructor(
    readonly session = randomUUID() as string,
    readonly prompt = randomUUID() as string,
  ) {
    this.threadId = `claude:${session}`;
  }

  /** @returns the run of the request */
  async ask(fields: Fields = {}, agent = 'claude-code'): Promise<string> {
    const answer = await this.post(claudeAsks('npm publish', { ...this.ids, ...fields }), agent);
    expect(answer.status).toBe(202);
    return answer.json<{ trace_id: string }>().trace_id;
  }

  async tell(event: string, fields: Fields = {}, agent = 'claude-code'): Promise<void> {
    expect((await this.post(claudeInput(event, { ...this.ids, ...fields }), agent)).status).toBe(204);
  }

  statuses(): Promise<string[]> {
    return statusesOf(server.api, this.threadId);
  }

  get ids() {
    return { session_id: this.session, prompt_id: this.prompt };
  }

  private post(input: Fields, agent: string) {
    return server.api.post(`/v1/runners/hooks/claude?agent_id=${agent}`, input);
  }
}

/** The same members in another order, because the call has an id now. */
const USED = {
  tool_name: 'Bash',
  tool_input: { description: 'Publish the package', command: 'npm publish' },
  tool_use_id: 'toolu_1',
};

describe('A decision on the terminal', () => {
  it.each([
    ['PostToolUse', { tool_response: { stdout: '' } }],
    ['PostToolUseFailure', { error: 'Exit code 1', is_interrupt: false }],
  ])('takes back the request that was decided there: %s', async (event, fields) => {
    const turn = new Turn();
    const asked = await turn.ask();
    const waiting = startHook(server.storage, ['claude', '--patience', '60'], claudeAsks('npm publish', turn.ids), {
      WAYSTATION_API_URL: server.api.baseUrl,
      WAYSTATION_TOKEN: server.api.token,
    });
    await waitFor('both', async () => (await turn.statuses()).length === 2);
    await turn.tell(event, { ...USED, ...fields });
    expect(await turn.statuses()).toEqual(['0 superseded', '0 pending']);
    problemOf(await decide(server.api, 'reject', { traceId: asked }, 0), 409);
    await turn.tell(event, { ...USED, ...fields, tool_use_id: 'toolu_2' });
    expect(await turn.statuses()).toEqual(['0 superseded', '0 superseded']);
    expect(await waiting.ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const detail = JSON.stringify(await detailOf(server.api, turn.threadId));
    expect(detail).toContain('The run was cancelled: It was decided on the terminal.');
  });

  it('leaves requests for something else, of other agents and of the next turn', async () => {
    const turn = new Turn();
    await turn.ask({ tool_input: { command: 'npm publish', description: 'Publish it' } });
    await turn.ask({ tool_name: 'Shell' });
    await turn.ask({}, 'other');
    await turn.tell('PostToolUse', { ...USED, tool_response: {} });
    expect(await turn.statuses()).toEqual(['0 pending', '0 pending', '0 pending']);
    await new Turn(turn.session).ask();
    await turn.tell('PostToolUse', { ...USED, tool_response: {} });
    await turn.tell('Stop', { last_assistant_message: 'Done.' });
    expect(await turn.statuses()).toEqual(['0 superseded', '0 superseded', '0 pending', '0 pending']);
  });

  it('leaves what people have decided already', async () => {
    const turn = new Turn();
    const [first, second] = [await turn.ask(), await turn.ask({ tool_input: { command: 'ls' } })];
    await decided(server.api, 'approve', { traceId: first }, 0);
    await decided(server.api, 'reject', { traceId: second }, 0);
    await turn.tell('PostToolUse', { ...USED, tool_response: {} });
    await turn.tell('Stop', { last_assistant_message: 'Done.' });
    expect(await turn.statuses()).toEqual(['0 approved', '0 rejected']);
  });

  it.each([
    ['Stop', { stop_hook_active: false, last_assistant_message: 'I did it another way.' }],
    ['StopFailure', { error: 'rate_limit', last_assistant_message: 'API Error' }],
  ])('is over with the turn, for all that still waits: %s', async (event, fields) => {
    const turn = new Turn();
    await turn.ask();
    await turn.ask({ tool_input: { command: 'ls' } });
    await turn.ask({}, 'other');
    await turn.tell(event, fields);
    expect(await turn.statuses()).toEqual(['0 superseded', '0 superseded', '0 pending']);
    await turn.ask();
    await new Turn(turn.session).tell('UserPromptSubmit', { prompt: 'Go on' });
    expect(await turn.statuses()).toEqual(['0 superseded', '0 superseded', '0 pending', '0 superseded']);
  });

  it('is known by the value of the input, however long and however it is written', async () => {
    const turn = new Turn();
    const content = 'x'.repeat(1_200_000);
    const ask = (input: string) =>
      JSON.stringify(claudeAsks('', turn.ids)).replace(/"tool_input":\{[^}]*\}/, `"tool_input":${input}`);
    for (const input of [`{"file_path":"/a","content":"${content}"}`, '{"n":1.50,"big":12345678901234567890}'])
      expect((await postHook(server.api, 'claude', ask(input), null)).status).toBe(202);
    const used = (input: string) => ask(input).replace('PermissionRequest', 'PostToolUse');
    await postHook(server.api, 'claude', used('{"n":1.5,"big":12345678901234567891}'), null);
    expect(await turn.statuses()).toEqual(['0 pending', '0 pending']);
    await postHook(server.api, 'claude', used('{ "big": 12345678901234567890, "n": 1.5 }'), null);
    expect(await turn.statuses()).toEqual(['0 pending', '0 superseded']);
    await postHook(server.api, 'claude', used(`{"file_path":"/a","content":"${content}"}`), null);
    expect(await turn.statuses()).toEqual(['0 superseded', '0 superseded']);
  });

  it('in Codex, which asks with a reason and reports without it', async () => {
    const ids = { session_id: randomUUID(), turn_id: randomUUID() };
    await postHook(server.api, 'codex', codexAsks('npm publish', ids), null);
    const used = { tool_name: 'Bash', tool_use_id: 'call_1', tool_response: 'ok' };
    for (const [command, status] of [
      ['npm test', 'pending'],
      ['npm publish', 'superseded'],
    ]) {
      await postHook(
        server.api,
        'codex',
        codexInput('PostToolUse', { ...ids, ...used, tool_input: { command } }),
        null,
      );
      expect(await statusesOf(server.api, `codex:${ids.session_id}`)).toEqual([`0 ${status}`]);
    }
  });
});

describe('What an allow alone does not answer', () => {
  it('a question of Claude Code is for the terminal: there is nothing to approve, and it is in the log', async () => {
    const questions = [{ question: 'Which one?', header: 'Pick', options: [{ label: 'A' }], multiSelect: false }];
    const input = claudeAsks('', { tool_name: 'AskUserQuestion', tool_input: { questions } });
    await postHook(server.api, 'claude', { ...input, hook_event_name: 'UserPromptSubmit', prompt: 'Help me' }, null);
    const env = { WAYSTATION_API_URL: server.api.baseUrl, WAYSTATION_TOKEN: server.api.token };
    const args = ['claude', '--patience', '60', '--on-timeout', 'deny'];
    const { code, stdout, stderr } = await startHook(server.storage, args, input, env).ended;
    expect([code, stdout, stderr]).toEqual([0, '', '']);
    const threadId = `claude:${String(input.session_id)}`;
    expect(await approvalsOf(server.api, threadId, { status: 'all' })).toEqual([]);
    expect(JSON.stringify(await detailOf(server.api, threadId))).toContain('Which one?');
  });

  it('a plan gets its own input back with the allow, exactly', async () => {
    const input = claudeAsks('', { tool_name: 'ExitPlanMode', tool_input: {} });
    const plan = '{"plan":"1. Ship","big":12345678901234567890}';
    for (const [text, updated, key] of [
      [JSON.stringify(input), '{}', 'none'],
      [JSON.stringify(input).replace('"tool_input":{}', `"tool_input":${plan}`), plan, 'some'],
    ] as const) {
      expect((await postHook(server.api, 'claude', text, key)).status).toBe(202);
      const [approval] = await approvalsOf(server.api, `claude:${String(input.session_id)}`);
      await decided(server.api, 'approve', { traceId: approval!.trace_id }, 0);
      expect(ok(await postHook(server.api, 'claude', text, key)).text).toBe(
        `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":${updated}}}}`,
      );
    }
  });

  it('a plan may come back edited, or be rejected', async () => {
    const input = claudeAsks('', { tool_name: 'ExitPlanMode', tool_input: { plan: '1. Ship' } });
    const asked = async () =>
      (await postHook(server.api, 'claude', input, 'edited')).json<{ trace_id: string }>().trace_id;
    const decisions = [{ index: 0, decision: 'approve', args: { plan: '1. Test' } }];
    await decided(server.api, 'approve', { traceId: await asked() }, 0, { decisions });
    const updatedInput = { plan: '1. Test' };
    const answer = ok(await postHook(server.api, 'claude', input, 'edited')).json();
    expect(answer).toEqual(hookOutput({ behavior: 'allow', updatedInput }));
  });
});
