import { readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { newThreadId } from '../../factories/events.js';
import { MAIL, newRun, REFUND, waiting, working } from '../../factories/waiting.js';
import { approvalOf, decided } from '../../support/approvals.js';
import { runCommand, type CommandResult } from '../../support/command.js';
import { latestOf, record } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();

function waystation(...args: string[]): Promise<CommandResult> {
  return runCommand(server.storage, args, { WAYSTATION_API_URL: server.api.baseUrl });
}

function expectPlain({ code, stderr }: CommandResult, wanted: number, words: RegExp): void {
  expect([code, stderr]).toEqual([wanted, expect.stringMatching(words)]);
  expect(stderr).not.toMatch(/\bat .*\.js:\d+/);
}

describe('waystation approvals', () => {
  it('lists what waits, with tool and arguments, and all that is known as JSON', async () => {
    const run = newRun();
    await record(server.api, waiting(run, 1, { pending_tool_calls: [REFUND, MAIL] }));
    const list = await waystation('approvals', '--thread', run.threadId);
    expect([list.code, list.stderr]).toEqual([0, '']);
    expect(list.stdout.split('\n')[0]).toMatch(/^TRACE +STEP +AGENT +SINCE +TOOL +ARGUMENTS$/);
    expect(list.stdout).toMatch(
      new RegExp(`${run.traceId}  1 +support +\\d+s +issue_refund  {"order":4711,"cents":1999}`),
    );
    expect(list.stdout).toContain('send_mail     {"to":"ada@example.com"}');
    const json = await waystation('approvals', '--json', '--thread', run.threadId);
    expect(JSON.parse(json.stdout)).toEqual(await approvalOf(server.api, run, 1));
    const brief = await waystation('approvals', '--json', '--thread', run.threadId.slice(0, -3));
    expect(brief.stdout).toBe(json.stdout);
    expectPlain(await waystation('approvals', '--thread', 'unknown'), 1, /^There is no thread unknown\.\n$/);
  });

  it('need no more than the scope approver', async () => {
    const run = newRun();
    await record(server.api, waiting(run, 1));
    const token = (await waystation('token', 'create', '--scope', 'approver')).stdout.trim();
    const env = { WAYSTATION_API_URL: server.api.baseUrl, WAYSTATION_TOKEN: token };
    const approver = (...args: string[]) => runCommand(server.storage, args, env);
    expect((await approver('approvals', '--thread', run.threadId)).stdout).toContain(run.traceId);
    const done = await approver('approve', run.traceId.slice(0, -3), '--thread', run.threadId);
    expect([done.code, done.stderr]).toEqual([0, '']);
  });
});

describe('waystation approvals of what is decided', () => {
  it('tell by call what was decided, by whom and why', async () => {
    const run = newRun();
    const pending_tool_calls = [REFUND, MAIL];
    await record(server.api, waiting(run, 1, { pending_tool_calls, approval_features: ['per_call'] }));
    await waystation('approve', run.traceId, '1', '--only', 'issue_refund', '--by', 'ada', '--reason', 'checked');
    const { stdout } = await waystation('approvals', '--status', 'all', '--thread', run.threadId);
    expect(stdout).toMatch(/^TRACE +STEP +AGENT +SINCE +STATUS +BY +REASON +TOOL +ARGUMENTS\n/);
    expect(stdout).toMatch(/ approved +ada +checked +issue_refund {2}{"order"/);
    expect(stdout).toMatch(/ rejected +ada +checked +send_mail {5}{"to"/);
  });
});

describe('waystation approve and reject', () => {
  it('take the beginning of the run, and no step where only one waits', async () => {
    const [one, two] = [newRun(), newRun()].map((run, index) => ({ ...run, traceId: `brief-${index}-${run.traceId}` }));
    await record(server.api, waiting(one!, 1), waiting(two!, 1));
    const both = await waystation('approve', 'brief-');
    expectPlain(both, 2, /^More than one run begins with brief-:\n/);
    for (const { traceId } of [one!, two!]) expect(both.stderr).toContain(`\n  ${traceId}`);
    const done = await waystation('approve', 'brief-0', '--json');
    expect(JSON.parse(done.stdout)).toMatchObject({ trace_id: one!.traceId, status: 'approved' });
    await record(server.api, waiting(two!, 2));
    expect((await waystation('reject', 'brief-1', '2')).stdout).toContain(`rejected  ${two!.traceId}  2`);
  });

  it('take a thread alone where one thing waits in it, and name all where several do', async () => {
    const run = newRun();
    const second = { ...run, traceId: `${run.traceId}-second` };
    await record(server.api, waiting(run, 1), waiting(second, 2, { parent_trace_id: run.traceId }));
    const unclear = await waystation('approve', '--thread', run.threadId);
    expectPlain(unclear, 2, /^More than one approval waits there; choose one:\n/);
    expectPlain(await waystation('approve'), 2, /^Say which: .* --thread\.\n$/);
    const whatToType = unclear.stderr.split('\n').map((line) => line.trim().split(/\s+/));
    expect(whatToType).toContainEqual([
      second.traceId,
      '2',
      '--thread',
      run.threadId,
      '--digest',
      expect.any(String),
      'issue_refund',
    ]);
    await decided(server.api, 'reject', second, 2);
    const done = await waystation('approve', '--thread', run.threadId, '--reason', 'checked');
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining(`approved  ${run.traceId}  1`)]);
    expectPlain(await waystation('approve', '--thread', run.threadId), 1, /^Nothing waits for a person\.\n$/);
  });

  it('never take the whole id of a run for the beginning of another', async () => {
    const [decidedRun, silent, other] = [newRun(), newRun(), newRun()];
    const others = (end: string) =>
      [decidedRun, silent].map(({ threadId, traceId }) => ({ threadId: threadId + end, traceId: traceId + end }));
    const [longer, longest] = [others('2'), others('23')];
    await record(server.api, waiting(decidedRun, 1), working(silent, 1), waiting(other, 1));
    await record(server.api, ...longer.map((run) => waiting(run, 1)), ...longest.map((run) => waiting(run, 3)));
    await decided(server.api, 'approve', decidedRun, 1);
    expect((await waystation('approve', decidedRun.traceId)).stdout).toContain(`approved  ${decidedRun.traceId}  1`);
    expectPlain(await waystation('reject', decidedRun.traceId), 1, /409.*already approved/);
    for (const { traceId } of [decidedRun, silent]) {
      expectPlain(await waystation('approve', traceId, '3'), 1, /no such approval/);
      expectPlain(await waystation('approve', traceId, '--thread', other.threadId), 1, /no such approval/);
    }
    expectPlain(await waystation('approve', silent.traceId), 1, /no such approval/);
    for (const run of longer) expect((await approvalOf(server.api, run, 1)).status).toBe('pending');
    for (const run of longest) expect((await approvalOf(server.api, run, 3)).status).toBe('pending');
  });

  it('decide single calls, and the others the other way', async () => {
    const run = newRun();
    const pending_tool_calls = [REFUND, MAIL];
    await record(server.api, waiting(run, 1, { pending_tool_calls, approval_features: ['per_call'] }));
    expectPlain(
      await waystation('reject', run.traceId, '--only', 'x'),
      1,
      /no call x; its calls are call-issue_refund \(iss/,
    );
    const { stdout } = await waystation('reject', run.traceId, '--only', 'call-s');
    expect(stdout).toMatch(/^approved .* issue_refund .*\nrejected .* send_mail /);
    const { tool_calls } = await approvalOf(server.api, run, 1);
    expect(tool_calls).toMatchObject([{ decision: 'approve' }, { decision: 'reject' }]);
    const old = newRun();
    await record(server.api, waiting(old, 1, { pending_tool_calls }));
    expectPlain(await waystation('approve', old.traceId, '--only', 'send_mail'), 1, /409.*per_call/);
  });

  it('approve with arguments that a person changed in the editor, exactly as written', async () => {
    const run = newRun();
    await record(server.api, waiting(run, 1, { approval_features: ['per_call', 'edit_args'] }));
    const edit = (script: string) =>
      runCommand(server.storage, ['approve', run.traceId, '1', '--edit'], {
        WAYSTATION_API_URL: server.api.baseUrl,
        EDITOR: `sh -c '${script}' --`,
      });
    expectPlain(await edit('printf "{order: 1" > "$1"'), 1, /no JSON.*Nothing is decided/);
    expectPlain(await edit('printf 17 > "$1"'), 1, /a JSON object, a list or a text/);
    expectPlain(await edit(': > "$1"'), 1, /empty: nothing is decided/);
    expectPlain(await edit('exit 3'), 1, /ended with 3: nothing is decided/);
    expect((await approvalOf(server.api, run, 1)).status).toBe('pending');
    const seen = path.join(server.storage.home, 'seen.json');
    const done = await edit(`cp "$1" ${seen}; sed -i s/1999/12345678901234567890/ "$1"`);
    expect(await readFile(seen, 'utf8')).toBe('{\n  "order": 4711,\n  "cents": 1999\n}\n');
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('"cents": 12345678901234567890')]);
    const { text } = await server.api.get(`/approvals/${run.traceId}/1`);
    expect(text).toMatch(/"edited_args":\s*{\s*"order": 4711,\s*"cents": 12345678901234567890\s*}/);
  });

  it('decide, and keep who decided and why', async () => {
    const [one, other] = [newRun(), newRun()];
    await record(server.api, waiting(one, 1), waiting(other, 12));
    const approve = await waystation('approve', one.traceId, '1');
    expect([approve.code, approve.stderr]).toEqual([0, '']);
    expect(approve.stdout).toBe(`approved  ${one.traceId}  1  issue_refund  {"order":4711,"cents":1999}\n`);
    expect(await approvalOf(server.api, one, 1)).toMatchObject({
      status: 'approved',
      decided_by: os.userInfo().username,
      decided_through: 'machine secret',
    });
    const reject = await waystation('reject', other.traceId, '12', '--reason', 'not today', '--by', 'ada');
    expect(reject.stdout).toMatch(/^rejected {2}/);
    expect(await latestOf(server.api, other.threadId)).toMatchObject({
      status: 'rejected',
      approval: { decided_by: 'ada', reason: 'not today' },
    });
  });

  it('again say the same, and the other way round plainly that it is too late', async () => {
    const run = newRun();
    await record(server.api, waiting(run, 1));
    await decided(server.api, 'reject', run, 1);
    const again = await waystation('reject', run.traceId, '1', '--reason', 'x');
    expect([again.code, again.stdout]).toEqual([0, expect.stringMatching(/^rejected {2}/)]);
    expectPlain(await waystation('approve', run.traceId, '1'), 1, /409.*already rejected/);
    const left = newRun();
    await record(server.api, waiting(left, 1), working(left, 2));
    expectPlain(await waystation('approve', left.traceId, '1'), 1, /409.*already superseded/);
  });

  it('ask which approval is meant when several wait at one address', async () => {
    const run = newRun();
    const other = { ...run, threadId: newThreadId() };
    await record(server.api, waiting(run, 1), waiting(other, 1, { pending_tool_calls: [MAIL] }));
    const unclear = await waystation('approve', run.traceId, '1');
    expectPlain(unclear, 2, /choose one/);
    const { digest } = await approvalOf(server.api, run, 1, { thread_id: other.threadId });
    expect(unclear.stderr).toContain(`--thread ${other.threadId} --digest ${digest}  send_mail`);
    expect(unclear.stderr).toContain(`--thread ${run.threadId}`);
    expectPlain(await waystation('approve', run.traceId, '1', '--digest', 'stale'), 1, /no such approval/);
    expect((await waystation('approve', run.traceId, '1', '--digest', digest)).code).toBe(0);
    expect((await latestOf(server.api, other.threadId)).status).toBe('approved');
    expect((await waystation('reject', run.traceId, '1', '--thread', run.threadId)).code).toBe(0);
    expect((await latestOf(server.api, run.threadId)).status).toBe('rejected');
  });

  it('decide what waits now, although the address meant other calls before', async () => {
    const run = newRun();
    await record(server.api, waiting(run, 1), waiting(run, 1, { pending_tool_calls: [MAIL] }));
    const approve = await waystation('approve', run.traceId, '1');
    expect([approve.code, approve.stdout]).toEqual([0, expect.stringContaining('send_mail')]);
  });

  it('say plainly what was wrong', async () => {
    expectPlain(await waystation('approve', 'unknown', '1'), 1, /no such approval/);
    expectPlain(await waystation('approve', 'unknown'), 1, /no such approval/);
    await record(server.api, waiting(newRun(), 1));
    expectPlain(await waystation('reject'), 2, /a trace and a step/);
    for (const step of ['one', '1.5', '2147483648', '']) {
      expectPlain(await waystation('approve', 'x', step), 2, /step is a number/i);
    }
    expectPlain(await waystation('approvals', '--status', 'waiting'), 2, /choices/);
    const away = { WAYSTATION_API_URL: 'http://127.0.0.1:9' };
    expectPlain(await runCommand(server.storage, ['approve', 'x', '1'], away), 1, /127\.0\.0\.1:9/);
    const wrong = { WAYSTATION_API_URL: server.api.baseUrl, WAYSTATION_TOKEN: 'wrong-token-wrong-token-wrong-token' };
    expectPlain(await runCommand(server.storage, ['approvals'], wrong), 1, /401/);
  });
});
