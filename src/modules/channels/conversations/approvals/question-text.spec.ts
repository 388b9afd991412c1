import type { ApprovalFacts } from '../../../approvals/approvals-lookup.service.js';
import { buttonsOf, readButton } from './question-draft.js';
import { outcomeText, questionText } from './question-text.js';

const FACTS: ApprovalFacts = {
  ...{ threadId: 't', traceId: 'r', step: 1, attempt: 1, digest: 'd', openedAtMs: 1, parentTraceId: null },
  ...{
    kind: 'approval',
    agentId: 'support',
    status: 'pending',
    calls: [],
    isCut: false,
    decidedBy: null,
    decidedThrough: null,
    reminded: 0,
  },
};

const asking = (...args: string[]): ApprovalFacts => ({
  ...FACTS,
  calls: args.map((text) => ({ name: 'issue_refund', args: text })),
});

describe('A question about tool calls', () => {
  it('has the exact text of the arguments', () => {
    const args = '{"order":12345678901234567890,"note":"a *b* `c`"}';
    const { text, isWhole } = questionText(asking(args), 1024);
    expect(text).toContain(`\n${args}\n`);
    expect(isWhole).toBe(true);
  });

  it('is not ended early by ticks in the arguments', () => {
    const { text } = questionText(asking('{"a":"```"}'), 1024);
    expect(text).toContain('````\n{"a":"```"}\n````');
  });

  it('is whole wherever it fits, however long one of the calls is', () => {
    const [long, short] = ['x'.repeat(700), '{"amount":1}'];
    const { text, isWhole } = questionText(asking(long, short), 1024);
    expect([text.includes(long), text.includes(short), isWhole]).toEqual([true, true, true]);
  });

  it.each([1024, 3000, 4096])('fits into %i characters, and says what was cut and where to look', (limit) => {
    const facts = asking('x'.repeat(10_000), 'y'.repeat(10_000), 'z');
    const { text, isWhole } = questionText({ ...facts, threadId: `channel:${'t'.repeat(400)}` }, limit);
    expect(text.length).toBeLessThanOrEqual(limit);
    expect(text).toMatch(/\(cut: \d+ of 10000 characters\)/);
    expect(text).toMatch(/waystation approvals --json --thread 'channel:t+'/);
    expect(isWhole).toBe(false);
  });

  it.each([
    ['a name', { name: 'n'.repeat(1100), args: '{}' }],
    ['arguments', { name: 'n', args: `{"a":"${'x'.repeat(1000)}"}` }],
    ['characters that nobody sees', { name: 'n', args: `{"a":"${'\u200b'.repeat(180)}"}` }],
  ])('is not whole where %s did not fit', (_, call) => {
    const { text, isWhole } = questionText({ ...FACTS, calls: [call] }, 1024);
    expect([isWhole, text.length <= 1024]).toEqual([false, true]);
  });

  it('is not whole where the arguments are too large to be shown anywhere', () => {
    const { text, isWhole } = questionText({ ...asking('"too large to show (1200045 bytes)"'), isCut: true }, 1024);
    expect([isWhole, text.includes("waystation export 't'")]).toEqual([false, true]);
  });

  it('says how many calls it has no room for', () => {
    const { text, isWhole } = questionText(asking(...Array.from({ length: 152 }, () => '{}'.repeat(40))), 1024);
    expect(text.length).toBeLessThanOrEqual(1024);
    expect(text).toMatch(/… and 1\d\d more\./);
    expect(isWhole).toBe(false);
  });

  it('never cuts a character in two', () => {
    expect(questionText(asking('😀'.repeat(5000)), 1024).text.isWellFormed()).toBe(true);
  });

  it('shows what nobody would see, in names as in arguments', () => {
    const call = { name: 'pay\u202e`er\r\n', args: '{"to":"a\u2066b\ufeff\u200b\u0085\u{e0041}","é":\n\t"❤️ 日本"}' };
    const { text } = questionText({ ...FACTS, agentId: 'sup\u200fport', calls: [call] }, 1024);
    expect(text).toContain('`pay\\u202e\\u0060er\\u000d\\u000a`');
    expect(text).toContain('{"to":"a\\u2066b\\ufeff\\u200b\\u0085\\u{e0041}","é":\n\t"❤️ 日本"}');
    expect(text).toContain('sup\\\\u200fport');
  });

  it('cannot have its command end early in a shell', () => {
    const { text } = questionText({ ...asking('x'.repeat(2000)), threadId: "a'; rm -rf `b`" }, 1024);
    expect(text).toContain("--thread 'a?; rm -rf ?b?'");
  });
});

describe('The outcome of a question', () => {
  it('names who decided in the chat', () => {
    const approved = { ...FACTS, status: 'approved' as const, decidedBy: 'telegram:7 (Ada [x](http://evil))' };
    const text = outcomeText({ ...approved, decidedThrough: 'channel' });
    expect(text).toBe('**Approved** by Ada \\[x\\]\\(http://evil\\)');
  });

  it('is told also where the approval is gone', () => {
    expect(outcomeText(null)).toMatch(/No longer needed/);
    expect(outcomeText({ ...FACTS, status: 'superseded' })).toMatch(/No longer needed/);
    expect(outcomeText({ ...FACTS, status: 'expired' })).toMatch(/Expired/);
  });
});

describe('A button', () => {
  const id = '0f8fad5b-d9cb-469f-a165-70867728950e';

  it('fits every platform and is read back', () => {
    const buttons = buttonsOf(id, true);
    expect(buttons.every(({ data, label }) => Buffer.byteLength(data) <= 64 && label.length <= 20)).toBe(true);
    expect(buttons.map(({ data }) => readButton(data))).toEqual([
      { verb: 'approve', questionId: id },
      { verb: 'reject', questionId: id },
    ]);
  });

  it('approves only what is whole', () => {
    expect(buttonsOf(id, false)).toEqual([{ label: 'Reject', data: `reject:${id}` }]);
  });

  it.each(['', 'approve', `expire:${id}`, `approve:${id} `, `approve:${id.toUpperCase()}`])('is not %s', (data) => {
    expect(readButton(data)).toBeNull();
  });
});
