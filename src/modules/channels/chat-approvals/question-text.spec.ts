import type { ApprovalFacts } from '../../approvals/approvals-lookup.service.js';
import { buttonsOf, readButton } from './question-payload.js';
import { outcomeText, questionText } from './question-text.js';

const FACTS: ApprovalFacts = {
  ...{ threadId: 't', traceId: 'r', step: 1, attempt: 1, digest: 'd', openedAtMs: 1, parentTraceId: null },
  ...{ agentId: 'support', status: 'pending', calls: [], isCut: false, decidedBy: null, decidedThrough: null },
};

const asking = (...args: string[]): ApprovalFacts => ({
  ...FACTS,
  calls: args.map((text) => ({ name: 'issue_refund', args: text })),
});

describe('A question about tool calls', () => {
  it('has the exact text of the arguments', () => {
    const args = '{"order":12345678901234567890,"note":"a *b* `c`"}';
    expect(questionText(asking(args), 1024)).toContain(`\n${args}\n`);
  });

  it('is not ended early by ticks in the arguments', () => {
    const text = questionText(asking('{"a":"```"}'), 1024);
    expect(text).toContain('````\n{"a":"```"}\n````');
  });

  it.each([1024, 3000, 4096])('fits into %i characters, and says what was cut', (limit) => {
    const text = questionText(asking('x'.repeat(10_000), 'y'.repeat(10_000), 'z'), limit);
    expect(text.length).toBeLessThanOrEqual(limit);
    expect(text).toMatch(/\(cut: \d+ of 10000 characters\)/);
  });

  it('says how many calls it has no room for', () => {
    const text = questionText(asking(...Array.from({ length: 40 }, () => 'x'.repeat(500))), 1024);
    expect(text.length).toBeLessThanOrEqual(1024);
    expect(text).toMatch(/… and \d+ more/);
  });

  it('never cuts a character in two', () => {
    expect(questionText(asking('😀'.repeat(5000)), 1024).isWellFormed()).toBe(true);
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
    const buttons = buttonsOf(id);
    expect(buttons.every(({ data, label }) => Buffer.byteLength(data) <= 64 && label.length <= 20)).toBe(true);
    expect(buttons.map(({ data }) => readButton(data))).toEqual([
      { verb: 'approve', questionId: id },
      { verb: 'reject', questionId: id },
    ]);
  });

  it.each(['', 'approve', `expire:${id}`, `approve:${id} `, `approve:${id.toUpperCase()}`])('is not %s', (data) => {
    expect(readButton(data)).toBeNull();
  });
});
