import fc from 'fast-check';
import { asking, COLOUR, questionCall } from '../../factories/asking.js';
import { MAIL, newRun, REFUND, waiting, working, type RunIds } from '../../factories/waiting.js';
import {
  approvalOf,
  approvalPage,
  approvalPath,
  decide,
  decided,
  recordIn,
  type Approval,
} from '../../support/approvals.js';
import type { Answer } from '../../support/api-client.js';
import { problemOf } from '../../support/problem.js';
import { EVENTS, latestOf, ok, record } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

const send = (run: RunIds, body?: object | string): Promise<Answer> =>
  server.api.post(approvalPath(run.traceId, 1, '/answer'), body);
const answered = async (run: RunIds, body: object): Promise<Approval> => recordIn(ok(await send(run, body)));
const values = (answers: object, index = 0) => ({ answers: [{ index, values: answers }] });

async function asked(calls: object[] = [questionCall()], fields: object = {}): Promise<RunIds> {
  const run = newRun('asks');
  await record(server.api, asking(run, 1, calls as Record<string, unknown>[], fields as Record<string, unknown>));
  return run;
}

/** Fails if anything was decided. */
async function expectPending(run: RunIds): Promise<void> {
  expect((await approvalOf(server.api, run, 1)).status).toBe('pending');
  expect((await latestOf(server.api, run.threadId)).status).toBe('waiting_for_approval');
}

describe('A question', () => {
  it('is a record with its defaults filled in, and the answer reaches the agent', async () => {
    const run = await asked();
    const question = {
      ...{ id: 'q0', text: 'Which colour?', header: null, multiple: false, free_text: false, required: true },
      options: [
        { label: 'Red', value: 'Red', description: null },
        { label: 'Blue', value: 'b', description: null },
      ],
      default: null,
    };
    const open = await approvalOf(server.api, run, 1);
    expect(open).toMatchObject({ kind: 'question', tool_calls: [{ decision: null, questions: [question] }] });
    const closed = await answered(run, {
      ...values({ q0: 'b' }),
      reason: 'the sky',
      decided_by: 'ada',
      digest: open.digest,
    });
    expect(closed).toMatchObject({
      ...{ status: 'approved', kind: 'question', reason: 'the sky', decided_by: 'ada' },
      tool_calls: [{ decision: 'answer', answers: { q0: 'b' }, edited_args: null }],
    });
    const { status, approval, pending_tool_calls: calls } = await latestOf(server.api, run.threadId);
    expect({ status, calls }).toEqual({ status: 'approved', calls: [] });
    expect(approval).toMatchObject({ status: 'approved', tool_calls: [{ decision: 'answer', answers: { q0: 'b' } }] });
  });

  it('is answered once: the same again changes nothing, another answer comes too late', async () => {
    const run = await asked([questionCall([{ ...COLOUR, multiple: true }])]);
    const first = await answered(run, values({ q0: ['b', 'Red'] }));
    expect(await answered(run, values({ q0: ['Red', 'b'] }))).toEqual(first);
    expect(problemOf(await send(run, values({ q0: 'b' })), 409).code).toBe('approval_closed');
    for (const verb of ['approve', 'reject'] as const)
      expect(problemOf(await decide(server.api, verb, run, 1), 409).code).toBe('approval_closed');
    expect(await approvalOf(server.api, run, 1)).toEqual(first);
  });

  it('is declined by a rejection', async () => {
    const run = await asked();
    const closed = await decided(server.api, 'reject', run, 1, { reason: 'ask later' });
    expect(closed).toMatchObject({ status: 'rejected', tool_calls: [{ decision: 'reject' }] });
    expect(closed.tool_calls[0]).not.toHaveProperty('answers');
    expect((await latestOf(server.api, run.threadId)).status).toBe('rejected');
  });

  it('is never approved, whatever the body says', async () => {
    const run = await asked([questionCall(), REFUND], { approval_features: ['answer', 'per_call', 'edit_args'] });
    const approve = { decision: 'approve' };
    for (const body of [
      undefined,
      {},
      { decisions: [{ index: 0, decision: 'reject' }] },
      { decisions: [{ index: 0, ...approve, args: { answers: { q0: 'b' } } }] },
      { decisions: [{ index: 9, ...approve }] },
    ])
      expect(problemOf(await decide(server.api, 'approve', run, 1, body), 409).code).toBe('answer_required');
    const rejecting = { decisions: [{ index: 0, ...approve }] };
    expect(problemOf(await decide(server.api, 'reject', run, 1, rejecting), 409).code).toBe('answer_required');
    const answering = { ...values({ q0: 'b' }), decisions: [{ index: 0, ...approve }] };
    expect(problemOf(await send(run, answering), 400).errors).toMatchObject([
      { path: 'answers[0].index' },
      { path: 'decisions' },
    ]);
    await expectPending(run);
  });

  it('means nothing where the agent does not say that it reads answers', async () => {
    const run = newRun();
    await record(server.api, waiting(run, 1, { pending_tool_calls: [questionCall([{}])] }));
    const { kind, tool_calls: calls } = await approvalOf(server.api, run, 1);
    expect([kind, calls[0]]).toEqual(['approval', expect.not.objectContaining({ questions: expect.anything() })]);
    expect(problemOf(await send(run, values({ q0: 'x' })), 409).code).toBe('no_question');
    expect(await decided(server.api, 'approve', run, 1)).toMatchObject({ status: 'approved' });
  });

  it('is superseded like any call, and then nobody answers it', async () => {
    const run = await asked();
    await record(server.api, working(run, 2));
    expect(problemOf(await send(run, values({ q0: 'b' })), 409)).toMatchObject({ code: 'approval_closed' });
  });

  it('with other words is another question: an answer to the words before is refused', async () => {
    const run = await asked();
    const { digest } = await approvalOf(server.api, run, 1);
    const other = questionCall([{ ...COLOUR, text: 'Which colour, really?' }]);
    await record(server.api, asking(run, 1, [other]));
    expect(problemOf(await send(run, { ...values({ q0: 'b' }), digest }), 409).code).toBe('approval_closed');
    await expectPending(run);
  });

  it('is listed by its kind', async () => {
    const run = await asked();
    await record(server.api, waiting({ ...run, traceId: `${run.traceId}-2` }, 1, { agent_id: 'other' }));
    const kinds = async (query: Record<string, string>) =>
      (await approvalPage(server.api, { thread_id: run.threadId, ...query })).items.map(({ kind }) => kind);
    expect(await kinds({ kind: 'question' })).toEqual(['question']);
    expect(await kinds({ kind: 'approval' })).toEqual(['approval']);
    expect((await kinds({})).sort()).toEqual(['approval', 'question']);
    problemOf(await server.api.get('/approvals?kind=other'), 400);
  });
});

describe('Questions beside other calls', () => {
  const features = { approval_features: ['answer', 'per_call', 'edit_args'] };

  it('are answered in one request, with a decision for each other call', async () => {
    const run = await asked([questionCall(), REFUND, MAIL], features);
    const missing = problemOf(await send(run, values({ q0: 'b' })), 400);
    expect(missing.errors!.map(({ path }) => path)).toEqual(['decisions', 'decisions']);
    await expectPending(run);
    const decisions = [
      { index: 1, decision: 'approve', args: { cents: 5 } },
      { index: 2, decision: 'reject', reason: 'no mail' },
    ];
    expect(await answered(run, { ...values({ q0: 'b' }), decisions })).toMatchObject({
      status: 'approved',
      tool_calls: [
        { decision: 'answer', answers: { q0: 'b' } },
        { decision: 'approve', edited_args: { cents: 5 } },
        { decision: 'reject', reason: 'no mail' },
      ],
    });
  });

  it('of which one is declined and one answered need an agent that reads each decision', async () => {
    const body = { ...values({ q0: 'b' }), decisions: [{ index: 1, decision: 'reject' }] };
    const calls = [questionCall(), questionCall([{ text: 'Why?' }], { id: 'call-2' })];
    const plain = await asked(calls);
    expect(problemOf(await send(plain, body), 409)).toMatchObject({ missing_features: ['per_call'] });
    await expectPending(plain);
    const closed = await answered(await asked(calls, features), body);
    expect(closed.tool_calls.map(({ decision }) => decision)).toEqual(['answer', 'reject']);
  });

  it('are answered by who answers first', async () => {
    const run = await asked();
    const answers = await Promise.all(['Red', 'b', 'Red', 'b'].map((value) => send(run, values({ q0: value }))));
    const winner = (await approvalOf(server.api, run, 1)).tool_calls[0] as unknown as { answers: { q0: string } };
    const statuses = ['Red', 'b', 'Red', 'b'].map((value) => (value === winner.answers.q0 ? 200 : 409));
    expect(answers.map(({ status }) => status)).toEqual(statuses);
  });
});

describe('An answer is refused, and nothing is decided,', () => {
  let run: RunIds;
  beforeAll(async () => {
    run = await asked([questionCall([COLOUR, { id: 'why', text: 'Why?', required: false }]), REFUND]);
  });
  const decisions = [{ index: 1, decision: 'approve' }];

  it.each<[string, object | string | undefined, string]>([
    ['without a body', undefined, 'answers'],
    ['without answers', { decisions: [{ index: 0, decision: 'reject' }, ...decisions] }, 'answers'],
    ['with answers that are no list', { answers: { q0: 'b' } }, 'answers'],
    ['with no answer', { answers: [], decisions }, 'answers'],
    ['for a call that is not there', { ...values({ q0: 'b' }, 2), decisions }, 'answers[0].index'],
    ['for a call that asks nothing', { ...values({ q0: 'b' }, 1) }, 'answers[0].index'],
    ['with an index that is text', { answers: [{ index: '0', values: {} }] }, 'answers[0].index'],
    ['with an unknown member', { answers: [{ index: 0, values: {}, value: 1 }] }, 'answers[0].value'],
    ['with no values', { answers: [{ index: 0 }], decisions }, 'answers[0].values'],
    ['with a value that is no option', { ...values({ q0: 'Green' }), decisions }, 'answers[0].values.q0'],
    ['to an unknown question', { ...values({ q0: 'b', q9: 'x' }), decisions }, 'answers[0].values.q9'],
    ['with a number', { ...values({ q0: 'b', why: 7 }), decisions }, 'answers[0].values.why'],
    ['with too many words', { ...values({ q0: 'b', why: 'x'.repeat(10_001) }), decisions }, 'answers[0].values.why'],
    ['with half a surrogate pair', '{"answers":[{"index":0,"values":{"q0":"\\ud800"}}]}', 'answers[0].values.q0'],
    [
      'twice for a call',
      { answers: [...values({ q0: 'b' }).answers, ...values({ q0: 'b' }).answers] },
      'answers[1].index',
    ],
  ])('%s', async (_what, body, path) => {
    const { errors, detail } = problemOf(await send(run, body), 400);
    expect(errors!.map((error) => error.path)).toContain(path);
    expect(detail).not.toContain('x'.repeat(200));
    await expectPending(run);
  });

  it('whatever it is: no wrong answer is a fault of the server, and none is taken', async () => {
    const word = fc.constantFrom('q0', 'why', 'Red', 'b', 'Green', '', '\0', '__proto__', 'index', 'values', 'answers');
    const json = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        ...[word, fc.integer({ min: -1, max: 3 }), fc.constantFrom(null, true, 1e300)],
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(word, tie('any'), { maxKeys: 4 }),
        fc.record({ index: tie('any'), values: tie('any') }),
      ),
    })).any;
    const bodies = fc.oneof(
      json,
      fc.record({ answers: fc.array(fc.record({ index: fc.oneof(fc.constantFrom(0, 1), json), values: json })) }),
    );
    for (const body of fc.sample(bodies, { numRuns: 150, seed: 7 })) {
      const { status } = await send(run, JSON.stringify(body));
      expect([body, status]).toEqual([body, 400]);
    }
    await expectPending(run);
  });

  it('by a token that may not decide', async () => {
    const path = approvalPath(run.traceId, 1, '/answer');
    problemOf(await server.api.post(path, values({ q0: 'b' }), { token: null }), 401);
    problemOf(await server.api.post(approvalPath('unknown', 1, '/answer'), values({ q0: 'b' })), 404);
  });
});

describe('A report of a question that nobody could answer is refused', () => {
  const at = (rest: string) => `events[0].data.pending_tool_calls${rest}`;
  const many = Array.from({ length: 101 }, (_, i) => questionCall([{ text: 'x' }], { id: `c${i}` }));

  it.each<[string, object[], string]>([
    ['questions that are no list', [questionCall({} as never)], at('[0].questions')],
    ['no question', [REFUND, questionCall([])], at('[1].questions')],
    ['no text', [questionCall([{ options: [] }])], at('[0].questions[0].text')],
    ['a default that is no option', [questionCall([{ ...COLOUR, default: 'x' }])], at('[0].questions[0].default')],
    ['too large a call', [questionCall([COLOUR], { args: 'x'.repeat(65_537) })], at('[0]')],
    ['too many calls', many, at('')],
    ['too much in all', [questionCall(), { name: 'write', args: 'x'.repeat(1_100_000) }], at('')],
    [
      'a decision that does not answer it',
      [questionCall([COLOUR], { allowed_decisions: ['approve'] })],
      at('[0].allowed_decisions'),
    ],
    ['words for decisions that nobody knows', [{ ...REFUND, allowed_decisions: ['ok'] }], at('[0].allowed_decisions')],
  ])('for %s', async (_what, calls, path) => {
    const run = newRun();
    const answer = await server.api.post(EVENTS, { events: [asking(run, 1, calls as Record<string, unknown>[])] });
    const text = JSON.stringify(answer.json());
    expect([answer.status, text]).toEqual([400, expect.stringContaining(JSON.stringify(path))]);
    problemOf(await server.api.get(approvalPath(run.traceId, 1)), 404);
  });
});

describe('Decisions that a call does not allow', () => {
  const REJECT_ONLY = { ...REFUND, allowed_decisions: ['reject', 'edit'] };
  const features = { approval_features: ['per_call', 'edit_args'] };

  it('are refused, and the record says what is allowed', async () => {
    const run = await asked([REJECT_ONLY, MAIL], features);
    expect((await approvalOf(server.api, run, 1)).tool_calls).toMatchObject([
      { allowed_decisions: ['edit', 'reject'] },
      {},
    ]);
    expect(problemOf(await decide(server.api, 'approve', run, 1), 409)).toMatchObject({
      code: 'decision_not_allowed',
      refused: [{ index: 0, decision: 'approve', allowed_decisions: ['edit', 'reject'] }],
    });
    await expectPending(run);
    const edit = { decisions: [{ index: 0, decision: 'approve', args: { cents: 1 } }] };
    expect(await decided(server.api, 'approve', run, 1, edit)).toMatchObject({ status: 'approved' });
  });

  it.each([
    [['approve'], 'reject', {}],
    [['approve'], 'approve', { decisions: [{ index: 0, decision: 'approve', args: {} }] }],
    [['respond'], 'reject', {}],
    [['reject'], 'reject', { decisions: [{ index: 0, decision: 'approve' }] }],
  ] as const)('%j: %s %j', async (allowed, verb, body) => {
    const run = await asked([{ ...REFUND, allowed_decisions: allowed }], features);
    expect(problemOf(await decide(server.api, verb, run, 1, body), 409).code).toBe('decision_not_allowed');
    await expectPending(run);
  });

  it('are refused for calls that are too large to show, too', async () => {
    const large = { ...REJECT_ONLY, note: 'x'.repeat(1_100_000) };
    const run = await asked([large], features);
    expect(await approvalOf(server.api, run, 1)).toMatchObject({
      tool_calls_cut: true,
      tool_calls: [{ allowed_decisions: ['edit', 'reject'], raw: null }],
    });
    expect(problemOf(await decide(server.api, 'approve', run, 1), 409).code).toBe('decision_not_allowed');
  });

  it('mean nothing to an agent that reads no single decisions', async () => {
    const run = newRun();
    await record(server.api, waiting(run, 1, { pending_tool_calls: [REJECT_ONLY] }));
    expect((await decided(server.api, 'approve', run, 1)).status).toBe('approved');
  });
});
