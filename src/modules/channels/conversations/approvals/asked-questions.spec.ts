import type { Question } from '../../../../common/contract/questions.js';
import type { CallFacts } from '../../../approvals/approvals-lookup.service.js';
import { askedQuestions, buttonOptions, questionsBody, readReply, type AskedQuestion } from './asked-questions.js';

const question = (more: Partial<Question> = {}): Question => ({
  ...{ id: 'q0', text: 'Which?', header: null, options: [], multiple: false, free_text: true, required: true },
  ...{ default: null, ...more },
});
const RED = { label: 'Red', value: 'r', description: null };
const BLUE = { label: 'Blue', value: 'b', description: 'like *water*' };
const CHOICE = question({ options: [RED, BLUE], free_text: false });

const asked = (...questions: Question[]): AskedQuestion[] =>
  questions.map((one, i) => ({ index: 0, question: { ...one, id: `q${i}` } }));
const call = (more: Partial<CallFacts> = {}): CallFacts => ({ name: 'ask', args: '{}', questions: [CHOICE], ...more });

describe('What a chat asks', () => {
  it('is answered there only where all calls ask, and may be answered', () => {
    const isAnswerable = (calls: CallFacts[], isCut = false) => askedQuestions({ calls, isCut }) !== null;
    expect(isAnswerable([call(), call({ allowed: ['respond'] })])).toBe(true);
    expect(isAnswerable([call({ allowed: ['approve', 'reject'] })])).toBe(false);
    expect(isAnswerable([call(), { name: 'pay', args: '{}' }])).toBe(false);
    expect([isAnswerable([]), isAnswerable([call()], true)]).toEqual([false, false]);
  });

  it('has buttons for one question with one choice, where there is room', () => {
    expect(buttonOptions(asked(CHOICE), 2)).toEqual([RED, BLUE]);
    expect(buttonOptions(asked(CHOICE), 1)).toEqual([]);
    expect(buttonOptions(asked(CHOICE, CHOICE), 10)).toEqual([]);
    expect(buttonOptions(asked({ ...CHOICE, multiple: true }), 10)).toEqual([]);
    expect(buttonOptions(asked(question()), 10)).toEqual([]);
  });

  it('is shown with all its words, and says how to answer', () => {
    const text = questionsBody(asked({ ...CHOICE, header: 'Paint', text: 'a\nb\u202e' }), true);
    expect(text).toBe(
      '**Paint**\na\nb\\\\u202e\n1\\. Red\n2\\. Blue: like \\*water\\*\n\n' +
        'Press a button, or reply to this message with a number from 1 to 2 or a label.',
    );
  });
});

describe('A reply', () => {
  const read = (text: string, ...questions: Question[]) => readReply(asked(...questions), text);

  it.each<[string, Question, unknown]>([
    ['2', CHOICE, 'b'],
    [' blue ', CHOICE, 'b'],
    ['1, 2', { ...CHOICE, multiple: true }, ['r', 'b']],
    ['two\nlines', question(), 'two\nlines'],
    ['green', { ...CHOICE, free_text: true }, 'green'],
  ])('of %j answers', (text, one, answer) => {
    expect(read(text, one)).toEqual({ answers: [{ index: 0, values: { q0: answer } }] });
  });

  it('leaves out what needs no answer', () => {
    const optional = question({ required: false });
    const left = { answers: [{ index: 0, values: { q1: 'yes' } }] };
    expect(read('-\nyes', optional, question())).toEqual(left);
    expect(read('-\nyes', optional, question(), optional)).toEqual(left);
    expect(read('-', optional)).toEqual({ answers: [{ index: 0, values: {} }] });
  });

  it('answers several calls, each with its own', () => {
    const both = [
      { index: 0, question: CHOICE },
      { index: 1, question: CHOICE },
    ];
    const answers = [
      { index: 0, values: { q0: 'r' } },
      { index: 1, values: { q0: 'b' } },
    ];
    expect(readReply(both, '1\n2')).toEqual({ answers });
  });

  it('that is no answer gets a hint for each line that is none', () => {
    expect(read('3', CHOICE)).toEqual({
      hint: 'That is no answer to “Which?”. Possible: a number from 1 to 2 or a label.',
    });
    expect(read('1', CHOICE, question())).toEqual({
      hint: 'Line 2: That is no answer to “Which?”. Possible: your own words.',
    });
    expect(read('1\n2\n3', CHOICE, CHOICE)).toEqual({ hint: expect.stringContaining('with 2 lines') });
  });
});
