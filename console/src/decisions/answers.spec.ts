import { answerText, chosenBy, entryOf, withEntry, writtenBy, type Question } from './answers.js';
import { allows, answerOf, canReject, canSayYes, EMPTY_DRAFT, faultOf, yesOf } from './draft.js';
import type { Approval } from './inbox.js';

const COLOUR = {
  ...{
    id: 'q0',
    text: 'Which colour?',
    header: null,
    multiple: false,
    free_text: true,
    required: true,
    default: 'red',
  },
  options: ['red', 'blue'].map((value) => ({ value, label: value.toUpperCase(), description: null })),
} satisfies Question;
const SIZES = {
  ...COLOUR,
  id: 'q1',
  text: 'Which sizes?',
  multiple: true,
  free_text: true,
  required: false,
  default: null,
};
const NOTE = { ...COLOUR, id: 'q2', text: 'Anything else?', options: [], default: null };

const asking = (questions: Question[], fields: object = {}) => ({
  index: 0,
  name: 'ask',
  args: {},
  raw: {},
  questions,
  ...fields,
});
const approvalOf = (...calls: object[]) =>
  ({
    kind: 'question',
    digest: 'd1',
    approval_features: ['answer', 'per_call'],
    tool_calls: calls,
  }) as unknown as Approval;

describe('Answers', () => {
  const approval = approvalOf(asking([COLOUR, SIZES, NOTE]));

  it('begin with the defaults, and need what is required', () => {
    expect(yesOf(approval)).toBe('answer');
    expect(faultOf(approval, EMPTY_DRAFT)).toBe('“Anything else?” needs an answer.');
    const draft = withEntry(EMPTY_DRAFT, 0, NOTE, { chosen: [], own: ' no \n' });
    expect(faultOf(approval, draft)).toBeNull();
    expect(answerOf(approval, draft)).toEqual({
      digest: 'd1',
      answers: [{ index: 0, values: { q0: 'red', q2: 'no' } }],
    });
  });

  it('are one text, or a list in the order of the options with own words at its end', () => {
    const own = writtenBy(COLOUR, entryOf(EMPTY_DRAFT, 0, COLOUR), 'green');
    expect([own, chosenBy(COLOUR, own, 'blue')]).toEqual([
      { chosen: [], own: 'green' },
      { chosen: ['blue'], own: '' },
    ]);
    const both = ['blue', 'red'].reduce((entry, value) => chosenBy(SIZES, entry, value), {
      chosen: [] as readonly string[],
      own: '',
    });
    const sizes = writtenBy(SIZES, both, 'wide');
    expect(answerOf(approvalOf(asking([SIZES])), withEntry(EMPTY_DRAFT, 0, SIZES, sizes)).answers).toEqual([
      { index: 0, values: { q1: ['red', 'blue', 'wide'] } },
    ]);
    expect(chosenBy(SIZES, both, 'red').chosen).toEqual(['blue']);
    expect([answerText(SIZES, ['red', 'wide']), answerText(SIZES, undefined)]).toEqual(['RED, wide', 'no answer']);
  });

  it('decide each other call, too, and a question that is left out', () => {
    const mixed = approvalOf(
      asking([COLOUR]),
      { index: 1, name: 'mail', args: {}, raw: {} },
      asking([NOTE], { index: 2 }),
    );
    expect(answerOf(mixed, { ...EMPTY_DRAFT, refused: new Set([2]) })).toEqual({
      digest: 'd1',
      answers: [{ index: 0, values: { q0: 'red' } }],
      decisions: [
        { index: 1, decision: 'approve' },
        { index: 2, decision: 'reject' },
      ],
    });
    expect(faultOf(mixed, { ...EMPTY_DRAFT, refused: new Set([0, 2]) })).toContain('No question is answered');
  });
});

describe('Decisions that an agent limits', () => {
  const call = (...allowed: string[]) => ({ index: 0, name: 'mail', args: {}, raw: {}, allowed_decisions: allowed });
  const limited = (...allowed: string[]) =>
    ({ ...approvalOf(call(...allowed)), kind: 'approval', approval_features: ['edit_args'] }) as Approval;

  it('leave no button for others', () => {
    expect([canSayYes(limited('reject')), canReject(limited('reject'))]).toEqual([false, true]);
    expect([canSayYes(limited('approve')), canReject(limited('approve'))]).toEqual([true, false]);
    expect(allows(limited('approve').tool_calls[0]!, 'edit')).toBe(false);
    expect(faultOf(limited('edit', 'reject'), EMPTY_DRAFT)).toBe('The agent takes mail only with other arguments.');
    expect(faultOf(limited('edit'), { ...EMPTY_DRAFT, edits: new Map([[0, '{"to":1}']]) })).toBeNull();
  });
});
