import { MAIL, newRun, REFUND, waiting, type RunIds } from '../../factories/waiting.js';
import { approvalOf, approvalPath, decide, pendingCountOf } from '../../support/approvals.js';
import { problemOf } from '../../support/problem.js';
import { latestPath, ok, record } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();
let run: RunIds;

/** Everything that the API returns about the approval and its thread. */
async function everything(): Promise<string[]> {
  const paths = [latestPath(run.threadId), approvalPath(run.traceId, 1), `/threads/${run.threadId}`];
  return Promise.all(paths.map(async (path) => ok(await server.api.get(path)).text));
}

beforeAll(async () => {
  run = newRun();
  const features = ['per_call', 'edit_args'];
  await record(server.api, waiting(run, 1, { pending_tool_calls: [REFUND, MAIL], approval_features: features }));
});

describe('A request that is refused changes nothing', () => {
  let before: string[];
  beforeAll(async () => {
    before = await everything();
  });
  afterEach(async () => {
    expect(await everything()).toEqual(before);
  });

  it.each([
    ['an unknown trace', 'unknown', '1', 404, 'approval_not_found'],
    ['an unknown step', null, '2', 404, 'approval_not_found'],
    ['a step that is a word', null, 'one', 400, 'invalid_request'],
    ['a negative step', null, '-1', 400, 'invalid_request'],
    ['half a step', null, '1.5', 400, 'invalid_request'],
    ['a step with an exponent', null, '1e0', 400, 'invalid_request'],
    ['a step in hexadecimal', null, '0x1', 400, 'invalid_request'],
    ['a step of spaces', null, '%20', 400, 'invalid_request'],
    ['a step beyond all steps', null, '2147483648', 400, 'invalid_request'],
    ['an endless step', null, '9'.repeat(400), 400, 'invalid_request'],
    ['a trace with U+0000', 'a\0b', '1', 404, 'approval_not_found'],
  ])('%s', async (_what, traceId, step, status, code) => {
    for (const verb of ['', '/approve', '/reject']) {
      const path = approvalPath(traceId ?? run.traceId, step, verb);
      const answer = verb === '' ? await server.api.get(path) : await server.api.post(path, {});
      const problem = problemOf(answer, status);
      expect(problem.code).toBe(code);
      if (status === 400) expect(problem.errors).toEqual([expect.objectContaining({ path: 'step' })]);
    }
  });

  it.each([
    ['no JSON', 'approve', 'body'],
    ['half of it', '{"reason":', 'body'],
    ['a list', '[]', 'body'],
    ['null', 'null', 'body'],
    ['an unknown member', '{"approved":true}', 'approved'],
    ['a reason that is no text', '{"reason":{}}', 'reason'],
    ['a decider that is no text', '{"decided_by":7}', 'decided_by'],
    ['a digest that is no text', '{"digest":["x"]}', 'digest'],
    ['an endless reason', `{"reason":"${'x'.repeat(4001)}"}`, 'reason'],
    ['decisions that are no list', '{"decisions":{"0":"approve"}}', 'decisions'],
    ['a decision that is no object', '{"decisions":["approve"]}', 'decisions[0]'],
    ['a decision without a call', '{"decisions":[{"decision":"approve"}]}', 'decisions[0].index'],
    ['a call named by text', '{"decisions":[{"index":"0","decision":"approve"}]}', 'decisions[0].index'],
    ['a call that is not there', '{"decisions":[{"index":2,"decision":"approve"}]}', 'decisions[0].index'],
    [
      'a call named twice',
      '{"decisions":[{"index":1,"decision":"approve"},{"index":1,"decision":"reject"}]}',
      'decisions[1].index',
    ],
    ['another word for approve', '{"decisions":[{"index":0,"decision":"yes"}]}', 'decisions[0].decision'],
    ['arguments for a rejected call', '{"decisions":[{"index":0,"decision":"reject","args":{}}]}', 'decisions[0].args'],
  ])('a body with %s', async (_what, body, path) => {
    for (const verb of ['approve', 'reject'] as const) {
      const problem = problemOf(await decide(server.api, verb, run, 1, body), 400);
      if (path !== 'body') expect(problem.errors).toEqual([expect.objectContaining({ path })]);
      expect(problem.detail).not.toContain('x'.repeat(100));
    }
  });

  it('a body of another type, or of too many bytes', async () => {
    const headers = { 'content-type': 'text/plain' };
    problemOf(await server.api.post(approvalPath(run.traceId, 1, '/approve'), '{}', { headers }), 415);
    const big = JSON.stringify({ reason: 'x'.repeat(1_100_000) });
    problemOf(await decide(server.api, 'approve', run, 1, big), 413);
  });

  it('a digest of other calls', async () => {
    const { digest } = await approvalOf(server.api, run, 1);
    for (const stale of ['', 'x', digest.toLowerCase(), `${digest}x`, 'a\\u0000b']) {
      const answer = await decide(server.api, 'approve', run, 1, `{"digest":"${stale}"}`);
      expect([stale, [400, 409].includes(answer.status)]).toEqual([stale, true]);
    }
    const problem = problemOf(await decide(server.api, 'approve', run, 1, { digest: 'x' }), 409);
    expect(problem).toMatchObject({ code: 'stale_digest', approvals: [{ digest, thread_id: run.threadId }] });
  });

  it('another thread than the one it waits in', async () => {
    problemOf(await decide(server.api, 'approve', run, 1, {}, { thread_id: 'unknown' }), 404);
    problemOf(await decide(server.api, 'approve', run, 1, {}, { thread_id: 'a\0b' }), 400);
    const twice = `${approvalPath(run.traceId, 1, '/approve')}?thread_id=a&thread_id=b`;
    problemOf(await server.api.post(twice, {}), 400);
  });

  it('a token that is wrong, or none', async () => {
    for (const token of [null, 'wrong']) {
      problemOf(await server.api.post(approvalPath(run.traceId, 1, '/approve'), {}, { token }), 401);
    }
  });

  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s on the path of a decision', async (method) => {
    for (const verb of ['/approve', '/reject', '/approve/', '/reject?decided_by=ada']) {
      const { status } = await server.api.send(method, approvalPath(run.traceId, 1, verb));
      expect([verb, method === 'OPTIONS' ? [204, 404, 405] : [404, 405]]).toEqual([
        verb,
        expect.arrayContaining([status]),
      ]);
    }
  });

  it('whatever else is asked under the path', async () => {
    for (const rest of ['/expire', '/approved', '/approve/now', '/1/approve']) {
      expect((await server.api.post(approvalPath(run.traceId, 1, rest), {})).status).toBe(404);
    }
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expect([404, 405]).toContain((await server.api.send(method, approvalPath(run.traceId, 1), {})).status);
      expect([404, 405]).toContain((await server.api.send(method, '/approvals', {})).status);
    }
  });
});

it('What nobody has decided stays undecided, whoever looks at it', async () => {
  for (let look = 0; look < 20; look++) {
    await server.api.send(look % 2 === 0 ? 'GET' : 'HEAD', approvalPath(run.traceId, 1));
    await server.api.send(look % 2 === 0 ? 'HEAD' : 'GET', '/approvals');
    await server.api.get(latestPath(run.threadId));
  }
  expect(await approvalOf(server.api, run, 1)).toMatchObject({ status: 'pending', decided_at: null });
  expect(await pendingCountOf(server.api, run.threadId)).toBe(1);
});
