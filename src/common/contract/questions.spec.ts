import fc from 'fast-check';
import {
  defaultAnswers,
  readAllowedDecisions,
  readAnswers,
  readQuestions,
  typedAnswer,
  type Question,
} from './questions.js';

function questionsOf(value: unknown): readonly Question[] {
  const read = readQuestions(value, 'questions');
  if ('faults' in read) throw new Error(JSON.stringify(read.faults));
  return read.questions;
}

function faultPathsOf(value: unknown): string[] {
  const read = readQuestions(value, 'questions');
  return 'faults' in read ? read.faults.map(({ path }) => path) : [];
}

const PLAIN = { header: null, options: [], multiple: false, free_text: true, required: true, default: null };
const COLOURS = { text: 'Which?', options: [{ label: 'Red' }, { label: 'Blue', value: 'b', description: 'sky' }] };

describe('Questions', () => {
  it('get their defaults', () => {
    expect(questionsOf([{ text: 'Why?' }, { ...COLOURS, header: ' ', free_text: null, unknown: 1 }])).toEqual([
      { id: 'q0', text: 'Why?', ...PLAIN },
      {
        ...{ ...PLAIN, id: 'q1', text: 'Which?', free_text: false },
        options: [
          { label: 'Red', value: 'Red', description: null },
          { label: 'Blue', value: 'b', description: 'sky' },
        ],
      },
    ]);
  });

  it.each<[string, unknown, string[]]>([
    ['no list', {}, ['questions']],
    ['none', [], ['questions']],
    ['too many', Array.from({ length: 21 }, () => ({ text: 'x' })), ['questions']],
    ['no object', ['x', null], ['questions[0]', 'questions[1]']],
    ['no text', [{}], ['questions[0].text']],
    ['a blank text', [{ text: ' \n' }], ['questions[0].text']],
    ['a text that is too long', [{ text: 'x'.repeat(4001) }], ['questions[0].text']],
    ['half a surrogate pair', [{ text: '\ud800' }], ['questions[0].text']],
    ['U+0000', [{ text: 'a\0' }], ['questions[0].text']],
    ['an id with a line break', [{ text: 'x', id: 'a\nb' }], ['questions[0].id']],
    ['an id twice', [{ text: 'x', id: 'q1' }, { text: 'y' }], ['questions[1].id']],
    ['an id that no answer could have', [{ text: 'x', id: '__proto__' }], ['questions[0].id']],
    ['a flag that is a word', [{ text: 'x', multiple: 'yes' }], ['questions[0].multiple']],
    ['nothing to answer with', [{ text: 'x', free_text: false }], ['questions[0].free_text']],
    [
      'too many options',
      [{ text: 'x', options: Array.from({ length: 51 }, (_, i) => ({ label: `${i}` })) }],
      ['questions[0].options'],
    ],
    ['a long label', [{ text: 'x', options: [{ label: 'x'.repeat(201) }] }], ['questions[0].options[0].label']],
    [
      'a value twice',
      [{ text: 'x', options: [{ label: 'a' }, { label: 'b', value: 'a' }] }],
      ['questions[0].options[1].value'],
    ],
    ['a default that is no option', [{ ...COLOURS, default: 'Green' }], ['questions[0].default']],
    ['two defaults for one answer', [{ ...COLOURS, default: ['Red', 'b'] }], ['questions[0].default']],
  ])('with %s are refused, and the faults say where', (_what, value, paths) => {
    expect(faultPathsOf(value)).toEqual(paths);
  });

  const word = fc.oneof(fc.constantFrom('a', 'b', 'q1', '', ' ', '\0', '\ud800', '__proto__'), fc.string());
  const anything = fc.oneof(word, fc.anything({ maxDepth: 2 }));
  const maybe = (value: fc.Arbitrary<unknown>) => fc.oneof({ weight: 4, arbitrary: value }, anything);
  const option = fc.record(
    { label: maybe(word), value: maybe(word), description: maybe(word) },
    { requiredKeys: ['label'] },
  );
  const flag = maybe(fc.boolean());
  const question = fc.record(
    {
      ...{ id: maybe(word), text: maybe(fc.constant('Why?')), header: maybe(word), required: flag },
      ...{ options: maybe(fc.array(option, { maxLength: 3 })), multiple: flag, free_text: flag, default: maybe(word) },
    },
    { requiredKeys: ['text'] },
  );
  const questions = maybe(fc.array(maybe(question), { maxLength: 4 }));

  it('of any kind are read without a throw, and what is read is read as itself', () => {
    fc.assert(
      fc.property(questions, (value) => {
        const read = readQuestions(value, 'questions');
        if ('faults' in read) {
          expect(read.faults.length).toBeGreaterThan(0);
          expect(read.faults.every(({ path }) => path.startsWith('questions'))).toBe(true);
        } else expect(questionsOf(read.questions)).toEqual(read.questions);
      }),
      { numRuns: 2_000 },
    );
  });

  it('take only what they offer, and what they take once they take again', () => {
    fc.assert(
      fc.property(
        questions,
        fc.oneof(anything, fc.dictionary(word, maybe(fc.oneof(word, fc.array(word))))),
        (asked, values) => {
          const read = readQuestions(asked, 'questions');
          if ('faults' in read) return;
          const taken = readAnswers(read.questions, values, 'values');
          if ('faults' in taken) return expect(taken.faults.length).toBeGreaterThan(0);
          expect(readAnswers(read.questions, taken.answers, 'values')).toEqual(taken);
          for (const { id, required, multiple, free_text, options } of read.questions) {
            const answer = taken.answers[id];
            expect([id, answer === undefined && required]).toEqual([id, false]);
            if (answer !== undefined) expect(Array.isArray(answer)).toBe(multiple);
            const offered = options.map((one) => one.value);
            expect([answer ?? []].flat().every((text) => free_text || offered.includes(text))).toBe(true);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('An answer', () => {
  const asked = questionsOf([COLOURS, { ...COLOURS, id: 'many', multiple: true, free_text: true, required: false }]);
  const read = (values: unknown) => readAnswers(asked, values, 'values');

  it('is a text, or a list in the order of the options', () => {
    expect(read({ q0: ['b'], many: ['mine', 'b', 'Red'] })).toEqual({
      answers: { q0: 'b', many: ['Red', 'b', 'mine'] },
    });
    expect(read({ q0: 'Red', many: 'b' })).toEqual({ answers: { q0: 'Red', many: ['b'] } });
    expect(read({ q0: 'Red', many: [] })).toEqual({ answers: { q0: 'Red' } });
  });

  it('that is too long is refused', () => {
    expect(read({ q0: 'Red', many: ['x'.repeat(10_001)] })).toMatchObject({ faults: [{ path: 'values.many' }] });
  });

  it('with very many names is refused with few faults', () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`x${n}`, 'b']));
    const { faults } = read({ q0: 'Red', ...many }) as unknown as { faults: { path: string }[] };
    expect([faults.length, faults[0]!.path]).toEqual([20, 'values.x0']);
  });

  it('that no option allows is named', () => {
    expect(read({ q0: 'Green' })).toEqual({
      faults: [{ path: 'values.q0', detail: '"Green" is none of the options "Red", "b"' }],
    });
  });

  it.each<[unknown, string[]]>([
    [{}, ['values.q0']],
    [{ q0: '' }, ['values.q0']],
    [{ q0: 7 }, ['values.q0']],
    [{ q0: ['Red', 'b'] }, ['values.q0']],
    [{ q0: 'Red', many: ['b', 'b'] }, ['values.many']],
    [{ q0: 'Red', other: 'b' }, ['values.other']],
    [[], ['values']],
    [null, ['values']],
  ])('%j is refused', (values, paths) => {
    const { faults } = read(values) as unknown as { faults: { path: string }[] };
    expect(faults.map(({ path }) => path)).toEqual(paths);
  });

  it.each<[string, string, string[]]>([
    ['1', 'Red', ['Red']],
    ['2', 'b', ['b']],
    ['blue', 'b', ['b']],
    ['B', 'b', ['b']],
    ['2, 1', '2, 1', ['b', 'Red']],
    ['red,2', 'red,2', ['Red', 'b']],
    ['3', '3', ['3']],
    [' neither, nor ', 'neither, nor', ['neither, nor']],
  ])('typed as %s means %s, or of several %j', (line, one, several) => {
    expect([typedAnswer(asked[0]!, line), [typedAnswer(asked[1]!, line)].flat()]).toEqual([one, several]);
  });

  it('is given by time where each question has a default or needs none', () => {
    expect(defaultAnswers(asked)).toBeNull();
    expect(
      defaultAnswers(
        questionsOf([
          { ...COLOURS, default: 'b' },
          { text: 'x', required: false },
        ]),
      ),
    ).toEqual({ q0: 'b' });
  });
});

it.each<[unknown, readonly string[] | null]>([
  [
    ['reject', 'approve', 'whatever'],
    ['approve', 'reject'],
  ],
  [['respond'], ['respond']],
  [[], null],
  [['whatever'], null],
  ['approve', null],
  [{ approve: true }, null],
  [[1, 'approve'], null],
])('allowed_decisions %j mean %j', (value, allowed) => {
  const read = readAllowedDecisions(value, 'path');
  expect('allowed' in read ? read.allowed : null).toEqual(allowed);
});
