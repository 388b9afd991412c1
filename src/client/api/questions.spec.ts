import { askingMembers, callIdsOf, toolCall, type ApprovalFeature, type Question } from './questions.js';

function question(id: string, part: number, args: unknown, more: Partial<Question> = {}): Question {
  return { id, name: 'refund', args, part, isModelCall: true, ...more };
}

function idsOf(open: [string, Question[]][], history: readonly unknown[]): Record<string, string> {
  const ids = [...callIdsOf(new Map(open), history)];
  return Object.fromEntries(ids.map(([{ id, part }, callId]) => [`${id}/${part}`, callId]));
}

describe('A question about a call of the model', () => {
  const said = (...calls: object[]) => ({ role: 'assistant', content: null, tool_calls: calls });
  const [one, other] = [toolCall('m1', 'refund', { amount: 1 }), toolCall('m2', 'refund', { amount: 2 })];

  it('has the id of the call in the last message of the model, and equal calls have theirs in their order', () => {
    const history = [
      said(toolCall('old', 'refund', { amount: 1 })),
      said(one, other, toolCall('m3', 'refund', { amount: 1 })),
    ];
    const open = [question('i', 0, { amount: 1 }), question('i', 1, { amount: 1 }), question('i', 2, { amount: 2 })];
    expect(idsOf([['t', open]], [...history, { role: 'tool', content: '' }])).toEqual({
      'i/0': 'm1',
      'i/1': 'm3',
      'i/2': 'm2',
    });
  });

  it('has its own id where the model has made no such call, or another question has it', () => {
    const open: [string, Question[]][] = [
      ['t2', [question('b', 0, { amount: 1 })]],
      ['t1', [question('a', 0, { amount: 1 }), question('a', 1, { amount: 3 })]],
    ];
    const ids = { 'a/0': 'm1', 'a/1': 'a:1', 'b/0': 'b:0' };
    expect([idsOf(open, [said(one)]), idsOf([...open].reverse(), [said(one)])]).toEqual([ids, ids]);
  });

  it.each([[[]], [[null, 'text', 7]], [[said()]], [[said({ id: 1 }, {})]], [[{ role: 'assistant', tool_calls: 'x' }]]])(
    'has its own id after a history of %j',
    (history) => expect(idsOf([['t', [question('i', 0, {})]]], history)).toEqual({ 'i/0': 'i:0' }),
  );
});

it.each<[(readonly ApprovalFeature[] | undefined)[], string[] | undefined]>([
  [[['edit_args', 'per_call'], ['per_call']], ['per_call']],
  [[['edit_args'], ['edit_args']], ['edit_args']],
  [[['edit_args'], undefined], undefined],
])('people may do only what all questions of a step allow: %j', (allowed, features) => {
  const open = allowed.map((allows, part) => question('i', part, {}, { allows }));
  expect(askingMembers(new Map([['t', open]]), []).approval_features).toEqual(features);
});

it('gives one question alone an id that the model has given to two calls', () => {
  const called = [1, 2].map((amount) => toolCall('m1', 'refund', { amount }));
  const open = [1, 2].map((amount, part) => question('i', part, { amount }));
  const ids = { 'i/0': 'm1', 'i/1': 'i:1' };
  expect(idsOf([['t', open]], [{ role: 'assistant', tool_calls: called }])).toEqual(ids);
});

it('tells equal calls apart by the ids that are known, and invents none', () => {
  const called = ['m1', 'm2'].map((id) => toolCall(id, 'refund', {}));
  const open = ['m2', 'm1', 'm9'].map((modelId, part) => question('i', part, {}, { modelId }));
  const ids = { 'i/0': 'm2', 'i/1': 'm1', 'i/2': 'i:2' };
  expect(idsOf([['t', open]], [{ role: 'assistant', tool_calls: called }])).toEqual(ids);
});

it.each<[string, Partial<Question>[], string[] | undefined]>([
  ['a question', [{ questions: [{ text: 'Why?' }] }], ['answer']],
  [
    'a question beside a call',
    [{ questions: [{ text: 'Why?' }], allows: ['per_call'] }, { allows: ['per_call', 'edit_args'] }],
    ['edit_args', 'per_call', 'answer'],
  ],
  [
    'a call that says it takes no changes',
    [{ allowedDecisions: ['approve', 'reject'] }, { allows: ['edit_args'] }],
    ['edit_args', 'answer'],
  ],
  ['limits of each call', [{ allowedDecisions: ['reject'], allows: ['per_call'] }], ['per_call']],
])('declares that the agent reads what %s needs', (_, asked, features) => {
  const open = asked.map((more, part) => question('i', part, {}, more));
  const members = askingMembers(new Map([['t', open]]), []);
  expect(members.approval_features).toEqual(features);
  expect(members.pending_tool_calls).toMatchObject(
    asked.map(({ questions, allowedDecisions }) => ({
      ...(questions && { questions }),
      ...(allowedDecisions && { allowed_decisions: allowedDecisions }),
    })),
  );
});
