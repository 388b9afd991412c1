import { knownEffect } from '../../../../test/factories/known-effects.js';
import type { AskedCall, KnownClaim, KnownEffect } from './call-outcomes.js';
import { ModelHistory } from './model-history.js';

const USER = { role: 'user', content: 'Refund order 4711.' };

interface Interrupted {
  user?: object;
  call: object;
  answer: (text: string, isError: boolean) => object;
}

/** A history that ends with the call `c1`, by shape; `answer` builds its result. */
const INTERRUPTED = {
  'OpenAI chat': {
    call: {
      role: 'assistant',
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'refund', arguments: '{"order":4711}' } }],
    },
    answer: (text: string) => ({ role: 'tool', tool_call_id: 'c1', content: text }),
  },
  'OpenAI Responses': {
    call: { type: 'function_call', call_id: 'c1', name: 'refund', arguments: '{"order":4711}' },
    answer: (text: string) => ({ type: 'function_call_output', call_id: 'c1', output: text }),
  },
  Anthropic: {
    call: { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'refund', input: { order: 4711 } }] },
    answer: (text: string, isError: boolean) => {
      const error = isError ? { is_error: true } : {};
      return { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: text, ...error }] };
    },
  },
  Gemini: {
    call: { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'refund', args: { order: 4711 } } }] },
    answer: (text: string, isError: boolean) => {
      const response = { [isError ? 'error' : 'output']: text };
      return { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'refund', response } }] };
    },
  },
  LangChain: {
    user: { type: 'human', content: 'Refund order 4711.' },
    call: {
      type: 'ai',
      content: '',
      tool_calls: [{ name: 'refund', args: { order: 4711 }, id: 'c1', type: 'tool_call' }],
    },
    answer: (text: string, isError: boolean) => {
      const status = isError ? { status: 'error' } : {};
      return { type: 'tool', content: text, tool_call_id: 'c1', name: 'refund', ...status };
    },
  },
  'LangChain as constructors': {
    user: constructed('HumanMessage', { content: 'Refund order 4711.' }),
    call: constructed('AIMessage', { content: '', tool_calls: [{ name: 'refund', args: { order: 4711 }, id: 'c1' }] }),
    answer: (text: string, isError: boolean) => {
      const status = isError ? { status: 'error' } : {};
      return constructed('ToolMessage', { content: text, tool_call_id: 'c1', name: 'refund', ...status });
    },
  },
  'the AI SDK’s model messages': {
    call: {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'refund', input: { order: 4711 } }],
    },
    answer: (text: string, isError: boolean) => {
      const output = { type: isError ? 'error-text' : 'text', value: text };
      return { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'refund', output }] };
    },
  },
};

const SHAPES: [string, Interrupted][] = Object.entries(INTERRUPTED);

function constructed(name: string, kwargs: object): object {
  return { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', name], kwargs };
}

function repaired(
  history: readonly unknown[],
  effects: KnownEffect[] = [],
  asked: AskedCall[] = [],
  claims?: KnownClaim[],
) {
  const texts = history.map((message) => (Buffer.isBuffer(message) ? message : Buffer.from(JSON.stringify(message))));
  const all = claims ?? effects.map((effect) => ({ ...effect, isOfRun: true }));
  const { messages, repairs } = new ModelHistory(texts).repaired({ claims: all, effects, asked });
  return { messages: messages.map((message) => JSON.parse(message.toString()) as unknown), repairs, texts: messages };
}

const DOUBT =
  '[Waystation] This call is in doubt: it was started, and it is not known whether it took effect. Do not repeat it before that is settled.';
const UNKNOWN = '[Waystation] The run was interrupted. It is not known whether this call ran.';
const NOT_STARTED = '[Waystation] This call was not started.';

const OTHER = knownEffect({ key: 'other', call_id: 'c0', args: '{"order":1}' });

/** What is known about the interrupted call, and what its result says. */
const OUTCOMES: [sentence: string, effects: KnownEffect[], asked: AskedCall[], text: string, isError: boolean][] = [
  ['the result of the ledger', [knownEffect()], [], 'paid back', false],
  [
    'the result of the ledger as JSON',
    [knownEffect({ result: '{"id":12345678901234567890}' })],
    [],
    '{"id":12345678901234567890}',
    false,
  ],
  [
    'that a result was not kept',
    [knownEffect({ result: null })],
    [],
    '[Waystation] This call was completed. Its result was not kept.',
    false,
  ],
  [
    'that a result is not here',
    [knownEffect({ args: null, result: null, areTextsLeftOut: true })],
    [],
    '[Waystation] This call was completed. Its result is kept with the effect.',
    false,
  ],
  [
    'the error of the ledger',
    [knownEffect({ state: 'failed', result: null, error: '"no such order"' })],
    [],
    'no such order',
    true,
  ],
  ['that it failed', [knownEffect({ state: 'failed', result: null })], [], '[Waystation] This call failed.', true],
  [
    'that it had no effect, and why',
    [knownEffect({ state: 'not_done', result: null, reason: 'The bank says so.' })],
    [],
    '[Waystation] This call had no effect. The bank says so.',
    true,
  ],
  ['that it is in doubt', [knownEffect({ state: 'started', result: null, in_doubt: true })], [], DOUBT, true],
  [
    'that it was started',
    [knownEffect({ state: 'started', result: null })],
    [],
    '[Waystation] This call was started and not finished: it is not known whether it took effect.',
    true,
  ],
  ['that nothing is known', [], [], UNKNOWN, true],
  ['that it was not started', [OTHER], [], NOT_STARTED, true],
  [
    'not that it was not started where no call of its tool is claimed',
    [{ ...OTHER, tool: 'search' }],
    [],
    UNKNOWN,
    true,
  ],
  ['not that it was not started where a claim names no call', [{ ...OTHER, call_id: null }], [], UNKNOWN, true],
  ['not that it was not started where the tool was claimed again', [{ ...OTHER, attempt: 2 }], [], UNKNOWN, true],
  [
    'the doubt that the same call would meet',
    [knownEffect({ call_id: 'lost', state: 'started', result: null, in_doubt: true })],
    [],
    DOUBT,
    true,
  ],
  [
    'that it waits for a person',
    [OTHER],
    [{ call_id: 'c1', state: 'pending' }],
    '[Waystation] This call waits for the decision of a person.',
    true,
  ],
  [
    'that a person approved it',
    [OTHER],
    [{ call_id: 'c1', state: 'approved' }],
    '[Waystation] A person approved this call. It is not known whether it ran.',
    true,
  ],
  [
    'that a person rejected it',
    [],
    [{ call_id: 'c1', state: 'rejected' }],
    '[Waystation] A person rejected this call.',
    true,
  ],
  [
    'what the ledger says of an approved call',
    [knownEffect()],
    [{ call_id: 'c1', state: 'approved' }],
    'paid back',
    false,
  ],
];

describe.each(SHAPES)('An interrupted call, in the shape of %s', (_, { user = USER, call, answer }) => {
  it.each(OUTCOMES)('gets %s', (_sentence, effects, asked, text, isError) => {
    const { messages, repairs } = repaired([user, call], effects, asked);
    expect(messages.slice(1, 3)).toEqual([call, expect.anything()]);
    const isJson = text.startsWith('{');
    // Some shapes have objects as results: JSON stays JSON there.
    if (!isJson || JSON.stringify(messages[2]).includes(JSON.stringify(text).slice(1, -1)))
      expect(messages[2]).toEqual(answer(text, isError));
    expect(repairs[0]).toMatchObject({ index: 1, kind: 'inserted_result', call_id: 'c1' });
  });

  it('gets what the ledger knows now in place of what an earlier repair did not know', () => {
    const first = repaired([user, call]);
    expect(repaired(first.messages).repairs).toEqual([]);
    const renewed = repaired(first.messages, [knownEffect()]);
    expect(renewed.messages[2]).toEqual(answer('paid back', false));
    expect(renewed.repairs).toEqual([
      { index: 2, kind: 'replaced_result', call_id: 'c1', detail: 'The call is recorded as completed.' },
    ]);
  });

  it('is not said to be not started by what other runs have claimed', () => {
    const { messages } = repaired([user, call], [OTHER], [], [{ ...OTHER, isOfRun: false }]);
    expect(messages[2]).toEqual(answer(UNKNOWN, true));
  });

  it('is not said to be not started where it was claimed, or may have been, even if nothing else is known', () => {
    const own = { ...OTHER, isOfRun: true };
    for (const claim of [knownEffect(), { ...OTHER, attempt: 2 }]) {
      const { messages } = repaired([user, call], [], [], [own, { ...claim, isOfRun: false }]);
      expect(messages[2]).toEqual(answer(UNKNOWN, true));
    }
  });

  it('has no result where an earlier repair wrote one without knowing', () => {
    const { texts } = repaired([user, call]);
    expect(new ModelHistory(texts).answeredIds()).toEqual(new Set());
    const whole = [user, call, answer('done', false)].map((message) => Buffer.from(JSON.stringify(message)));
    expect(new ModelHistory(whole).answeredIds()).toEqual(new Set(['c1']));
  });

  it('keeps its own result, whatever the ledger says', () => {
    const history = [user, call, answer('It is paid.', false)];
    expect(repaired(history, [knownEffect()])).toMatchObject({ messages: history, repairs: [] });
  });

  it('has its second result left out, and one that has no call', () => {
    const history = [user, answer('no call', false), call, answer('first', false), answer('second', false)];
    const { messages, repairs } = repaired(history);
    const kinds = repairs.map(({ index, kind }) => [index, kind]);
    expect(kinds).toEqual([
      [1, 'removed_result'],
      [4, 'removed_result'],
    ]);
    expect(messages).toEqual([user, call, answer('first', false)]);
  });

  it('is told in a note where the history does not have it, once', () => {
    const lost = knownEffect({ call_id: 'lost', result: '"done"' });
    const { messages, repairs } = repaired([user, call, answer('first', false)], [lost]);
    const text = '[Waystation] The effect refund:4711 (tool refund) was completed: done';
    expect(JSON.stringify(messages.at(-1))).toContain(text);
    const detail = 'The call is recorded as completed.';
    expect(repairs).toEqual([{ index: 3, kind: 'appended_note', call_id: 'lost', detail }]);
    expect(repaired(messages, [lost]).repairs).toEqual([]);
  });
});

describe('A result that stands elsewhere', () => {
  it('is moved behind its call, with its exact text', () => {
    const { call, answer } = INTERRUPTED['OpenAI chat'];
    const result = Buffer.from('{ "role":"tool", "tool_call_id":"c1","content":"1e400", "n": 12345678901234567890 }');
    const { texts, repairs } = repaired([USER, call, USER, result]);
    expect(texts[2]).toEqual(result);
    expect(repairs).toMatchObject([{ index: 3, kind: 'moved_result', call_id: 'c1' }]);
    expect(repaired([USER, call, answer('done'), USER]).repairs).toEqual([]);
  });

  it('comes before what the user says in the same message of Anthropic', () => {
    const { call, answer } = INTERRUPTED.Anthropic;
    const [result] = answer('done', false).content;
    const said = { type: 'text', text: 'Thanks' };
    const { messages, repairs } = repaired([USER, call, { role: 'user', content: [said, result] }]);
    expect(repairs).toMatchObject([{ index: 2, kind: 'moved_result' }]);
    expect(messages).toEqual([USER, call, { role: 'user', content: [result] }, { role: 'user', content: [said] }]);
  });
});

describe('An id that several calls have', () => {
  const { call, answer } = INTERRUPTED['OpenAI chat'];
  const other = {
    role: 'assistant',
    tool_calls: [{ id: 'c1', function: { name: 'refund', arguments: '{"order":9}' } }],
  };

  it('names the call of the latest message before the result', () => {
    const history = [USER, call, answer('first'), other, answer('second')];
    expect(repaired(history)).toMatchObject({ messages: history, repairs: [] });
  });

  it('brings the result of the ledger only where the arguments are the same', () => {
    const history = [USER, call, answer('first'), other];
    expect(repaired(history, [knownEffect()]).messages[4]).toMatchObject({ content: UNKNOWN });
    expect(repaired(history, [knownEffect({ args: '{ "order": 9.0 }' })]).messages[4]).toMatchObject({
      content: 'paid back',
    });
  });
});
