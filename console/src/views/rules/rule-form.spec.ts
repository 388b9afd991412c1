import { parseExact, stringifyExact } from '../../api/exact-json.js';
import { bodyOf, dayIn, formOf, newCondition, wordsOf, type RuleBody, type RuleForm } from './rule-form.js';

const TEXT =
  '{"effect":"allow","agents":["billing"],"tools":["refund"],"where":[{"path":"/amount","min":0,"max":9007199254740993},' +
  '{"path":"/currency","one_of":["EUR","5",5,"",true]},{"path":"/note","any":true},{"path":"/order","equals":"a b"},' +
  '{"path":"/file","within":"/srv"},{"path":"/command","words":"git add *"},{"path":"/url","prefix":"https://example.com/"}],' +
  '"other":"any","folder":"/srv","limits":{"per_day":20,"sum":{"path":"/amount","per_day":149.00}},"expires_at":"2027-02-24T09:30:00.000Z","note":"small ones"}';
const draft = parseExact(TEXT) as RuleBody;
const form = (fields: Partial<RuleForm> = {}): RuleForm => ({ ...formOf(draft), ...fields });

describe('The form of a rule', () => {
  it('sends a draft as it came, each number in its digits', () => {
    const { body } = bodyOf(form()) as { body: RuleBody };
    expect(stringifyExact({ ...body, expires_at: draft.expires_at })).toBe(TEXT);
    expect(formOf(body).lastDay).toBe(formOf(draft).lastDay);
  });

  it('takes plain words for texts and numbers for numbers, and a path without its slash', () => {
    const conditions = [
      { ...newCondition('currency'), text: 'EUR' },
      { ...newCondition('/amount'), text: '5' },
      { ...newCondition('/code'), text: '"5"' },
    ];
    expect(bodyOf(form({ conditions }))).toMatchObject({
      body: {
        where: [
          { path: '/currency', equals: 'EUR' },
          { path: '/amount', equals: 5 },
          { path: '/code', equals: '5' },
        ],
      },
    });
  });

  it('says what is missing, by field', () => {
    const [range, empty] = [{ ...newCondition('a'), test: 'range' as const, min: 'x' }, newCondition('')];
    const { faults } = bodyOf(form({ agents: ' ', perDay: '0', note: '', sumPerDay: '', conditions: [range, empty] }));
    expect(Object.keys(faults!)).toEqual([
      'agents',
      `condition ${range.key}`,
      `condition ${empty.key}`,
      'perDay',
      'sum',
      'note',
    ]);
  });

  it('leaves out what only an allow has, and ends with the day', () => {
    const { body } = bodyOf(form({ effect: 'deny' })) as { body: RuleBody };
    expect([body.limits, body.other, body.expires_at]).toEqual([undefined, undefined, undefined]);
    const allow = bodyOf({ ...formOf({ ...draft, expires_at: null }, ['/who']), sumPath: '' });
    expect(Object.keys(allow.faults!)).toHaveLength(1);
    expect(formOf({}).lastDay).toBe(dayIn(90));
    expect(new Date((bodyOf(form()) as { body: RuleBody }).body.expires_at!).getHours()).toBe(23);
  });

  it('has words before it is finished', () => {
    expect(wordsOf(form({ agents: '', perDay: '', sumPath: '' }))).toMatchObject({ agents: ['…'], limits: null });
  });
});
