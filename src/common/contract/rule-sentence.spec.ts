import { parseExact } from '../exact-number.js';
import { rehearsalSentence, ruleSentence, type RuleCondition, type RuleWords } from './rule-sentence.js';

const REFUND: RuleWords = {
  effect: 'allow',
  agents: ['billing'],
  tools: ['refund'],
  where: [{ path: '/amount', min: 0, max: 50 }],
  other: 'none',
  limits: { per_day: 20 },
  expires_at: '2027-02-24T09:30:00.000Z',
};
const sentence = (fields: Partial<RuleWords> = {}) => ruleSentence({ ...REFUND, ...fields }, 'UTC');
const when = (condition: RuleCondition) => /when (.*), at most/.exec(sentence({ where: [condition] }))![1];

describe('The sentence of a rule', () => {
  it('says all that an allow takes', () => {
    expect(sentence()).toBe(
      'Allow refund by agent billing when amount is between 0 and 50, at most 20 times in 24 hours, until 24 February 2027.',
    );
    const limits = { per_day: 1, sum: { path: '/amount', per_day: 500 } };
    expect(sentence({ where: [], limits, folder: '/srv/shop', agents: ['billing', 'desk'] })).toBe(
      'Allow refund by agents billing or desk without arguments, while the agent works in the folder /srv/shop, at most once in 24 hours, with a total amount of at most 500, until 24 February 2027.',
    );
    expect(sentence({ expires_at: null })).toMatch(/in 24 hours, for 90 days\.$/);
    expect(sentence({ other: 'any' })).toContain('amount is between 0 and 50, with any other arguments, at most');
    expect(sentence({ where: [], other: 'any' })).toContain('billing with any arguments, at most');
  });

  it('says of a wall and of an ask that they take any rest, and that they need not end', () => {
    const wide = { agents: ['*'], tools: ['mail_*', 'send'], where: [], limits: null, expires_at: null };
    expect(sentence({ ...wide, effect: 'deny' })).toBe(
      'Reject send or any tool that begins with mail_ by any agent with any arguments, until somebody revokes it.',
    );
    expect(sentence({ ...wide, effect: 'ask', tools: ['send'], agents: ['b*'] })).toBe(
      'Always ask a person about send by any agent that begins with b with any arguments, until somebody revokes it.',
    );
  });

  it('has words for each condition', () => {
    expect(when({ path: '/currency', equals: 'EUR' })).toBe('currency is "EUR"');
    expect(when({ path: '/to', equals: null })).toBe('to is null');
    expect(when({ path: '/currency', one_of: ['EUR', 'USD', 3] })).toBe('currency is "EUR", "USD" or 3');
    expect(when({ path: '/amount', min: 1 })).toBe('amount is at least 1');
    expect(when({ path: '/amount', max: 1 })).toBe('amount is at most 1');
    expect(when({ path: '/url', prefix: 'https://example.com/' })).toBe('url begins with "https://example.com/"');
    expect(when({ path: '/file', within: '/home/ada' })).toBe('file is a path in the folder /home/ada');
    expect(when({ path: '/command', words: 'git add *' })).toBe('command is "git add *", where * is any one name');
    expect(when({ path: '/command', words: 'git status' })).toBe('command is "git status"');
    expect(when({ path: '/customer/name', any: true })).toBe('customer/name is anything');
    expect(when({ path: '', any: true })).toBe('the whole of the arguments is anything');
  });

  it('keeps conditions apart whose values are lists', () => {
    const where = [
      { path: '/currency', one_of: ['EUR', 'USD'] },
      { path: '/amount', max: 5 },
    ];
    expect(sentence({ where })).toContain('when currency is "EUR" or "USD", and amount is at most 5, at most');
  });

  it('says numbers in their digits, and quotes what could pass for other words', () => {
    const where = parseExact('[{"path":"/amount","max":9007199254740993}]', { keepsSpelling: true });
    expect(sentence({ where: where as RuleCondition[] })).toContain('amount is at most 9007199254740993');
    expect(sentence({ tools: ['refund by any agent'] })).toContain('Allow "refund by any agent" by agent billing');
    expect(when({ path: '/a is 1 or b', equals: 'x" or "y' })).toBe('"a is 1 or b" is "x\\" or \\"y"');
  });
});

describe('The sentence of a rehearsal', () => {
  const none = { calls: 0, ruled: 0 };
  const totals = {
    approved: { calls: 230, ruled: 214 },
    edited: none,
    rejected: { calls: 9, ruled: 3 },
    expired: none,
  };

  it('says how far the rule agrees with people', () => {
    expect(rehearsalSentence('allow', totals)).toBe('It allows 214 of 230 approved calls, and 3 of 9 rejected.');
    expect(
      rehearsalSentence('deny', { ...totals, edited: { calls: 1, ruled: 1 }, expired: { calls: 2, ruled: 1 } }),
    ).toBe('It rejects 214 of 230 approved calls, 1 of 1 edited, 3 of 9 rejected, and 1 of 2 expired.');
    expect(rehearsalSentence('ask', { ...totals, approved: none })).toBe('It asks about 3 of 9 rejected calls.');
    expect(rehearsalSentence('ask', { ...totals, approved: none, rejected: none })).toBe(
      'Nobody has decided such calls yet.',
    );
  });
});
