import { randomUUID } from 'node:crypto';
import { claudeAsks, codexAsks } from '../../factories/hook-inputs.js';
import { approvalsOf, decided, statusesOf, type Approval, type Verb } from '../../support/approvals.js';
import { startHook } from '../../support/hook-process.js';
import { hookOutput, postHook } from '../../support/hook-requests.js';
import { problemOf } from '../../support/problem.js';
import { detailOf, ok } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { freshStorage } from '../../support/storage.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const server = useServer();
const env = () => ({ WAYSTATION_API_URL: server.api.baseUrl, WAYSTATION_TOKEN: server.api.token });
const hook = (platform: 'claude' | 'codex', input: object | string, ...args: string[]) =>
  startHook(server.storage, [platform, '--patience', '60', ...args], input, env());

async function pendingOf(threadId: string, count = 1): Promise<Approval[]> {
  return waitFor('the approvals', async () => {
    const found = await approvalsOf(server.api, threadId);
    return found.length === count && found;
  });
}

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
    expect([yes.code, JSON.parse(yes.stdout), yes.stderr]).toEqual([0, hookOutput({ behavior: 'allow' }), '']);
    const deny = hookOutput({ behavior: 'deny', message: 'Not today.' });
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
    expect((await postHook(server.api, 'codex', input, 'k')).status).toBe(202);
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
    expect((await postHook(server.api, 'claude', input, key)).status).toBe(202);
    const [approval] = await approvalsOf(server.api, `claude:${String(input.session_id)}`);
    await decided(server.api, 'approve', { traceId: approval!.trace_id }, 0);
    const other = { ...input, tool_input: { command: 'rm -rf /' } };
    expect(problemOf(await postHook(server.api, 'claude', other, key), 422).code).toBe('idempotency_key_reused');
    const answer = ok(await postHook(server.api, 'claude', input, key));
    expect(answer.json()).toEqual(hookOutput({ behavior: 'allow' }));
  });

  it('hears of the decision at once', async () => {
    // 50 ms on an idle machine. A pause of the machine cannot affect all three.
    const tookMs = [await heardAfterMs(), await heardAfterMs(), await heardAfterMs()];
    expect(Math.min(...tookMs)).toBeLessThan(1_000);
  });

  async function heardAfterMs(): Promise<number> {
    const [input, key] = [claudeAsks('ls'), randomUUID()];
    await postHook(server.api, 'claude', input, key);
    const asking = postHook(server.api, 'claude', input, key, '60').then((answer) => ({
      answer,
      atMs: performance.now(),
    }));
    const [approval] = await pendingOf(`claude:${String(input.session_id)}`);
    await decided(server.api, 'approve', { traceId: approval!.trace_id }, 0);
    const sinceMs = performance.now();
    const { answer, atMs } = await asking;
    ok(answer);
    return atMs - sinceMs;
  }

  it('does not wait for what is superseded, and leaves no run open that was decided', async () => {
    const input = claudeAsks('ls');
    const threadId = `claude:${String(input.session_id)}`;
    await postHook(server.api, 'claude', input, 'first');
    const waiting = postHook(server.api, 'claude', input, 'first', '60');
    await postHook(server.api, 'claude', { ...input, prompt_id: randomUUID() }, 'second');
    expect((await waiting).status).toBe(204);
    const [approval] = await approvalsOf(server.api, threadId);
    await decided(server.api, 'approve', { traceId: approval!.trace_id }, 0);
    ok(await postHook(server.api, 'claude', { ...input, prompt_id: approval!.parent_trace_id }, 'second'));
    const { run_list: runs } = (await detailOf(server.api, threadId)) as { run_list: Record<string, unknown>[] };
    expect(runs.find(({ trace_id }) => trace_id === approval!.trace_id)).toMatchObject({ status: 'completed' });
    expect((await statusesOf(server.api, threadId)).sort()).toEqual(['0 approved', '0 superseded']);
  });

  it('speaks only for the agents of its token', async () => {
    const made = await server.api.post('/v1/tokens', { scope: 'runner', agent_ids: ['kims-laptop'] });
    const api = server.api.as(made.json<{ token: string }>().token);
    const input = claudeAsks('ls');
    expect((await postHook(api, 'claude', input, 'k')).status).toBe(202);
    const [approval] = await approvalsOf(server.api, `claude:${String(input.session_id)}`);
    expect(approval!.agent_id).toBe('kims-laptop');
    problemOf(await api.post(`/approvals/${approval!.trace_id}/0/approve`, {}), 403);
    const other = await api.post('/v1/runners/hooks/claude?agent_id=other', claudeAsks('ls'));
    expect(problemOf(other, 403).code).toBe('agent_not_allowed');
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
      expect((await postHook(own.api, 'claude', input, key)).status).toBe(202);
      const threadId = `claude:${String(input.session_id)}`;
      const pending = await waitFor('both', async () => {
        const found = await approvalsOf(own.api, threadId);
        return found.length === 2 && found;
      });
      for (const { trace_id } of pending.slice(0, 1)) await decided(own.api, 'approve', { traceId: trace_id }, 0);
      const [edited, refused] = [claudeAsks('npm publish'), claudeAsks('rm -rf /')];
      const decisionOn = async (ask: Record<string, unknown>, verb: Verb, body: object | string) => {
        const { trace_id: traceId } = (await postHook(own.api, 'claude', ask, String(ask.session_id))).json<Approval>();
        await decided(own.api, verb, { traceId }, 0, body);
      };
      const args = '{"command":"npm publish --dry-run","big":12345678901234567890}';
      await decisionOn(edited, 'approve', `{"decisions":[{"index":0,"decision":"approve","args":${args}}]}`);
      await decisionOn(refused, 'reject', { reason: 'Not on a "Friday".' });
      await own.kill();
      own = await ServerProcess.start(storage, { env: { WAYSTATION_PORT } });
      await decided(own.api, 'approve', { traceId: pending[1]!.trace_id }, 0);
      expect(ok(await postHook(own.api, 'claude', input, key)).json()).toEqual(hookOutput({ behavior: 'allow' }));
      expect(ok(await postHook(own.api, 'claude', edited, String(edited.session_id))).text).toBe(
        `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":${args}}}}`,
      );
      const denied = ok(await postHook(own.api, 'claude', refused, String(refused.session_id))).json();
      expect(denied).toEqual(hookOutput({ behavior: 'deny', message: 'Not on a "Friday".' }));
      const { code, stdout } = await asking.ended;
      expect([code, JSON.parse(stdout)]).toEqual([0, hookOutput({ behavior: 'allow' })]);
      expect(await statusesOf(own.api, threadId)).toEqual(['0 approved', '0 approved']);
    } finally {
      await own.stop();
      await storage.dispose();
    }
  });
});
