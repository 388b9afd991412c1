import { readCall } from '../decision/tool-calls.js';
import { HOSTILE_GROUPS } from '../../../../test/factories/hostile-calls/hostile-groups.js';
import { JudgedCall } from './judged-call.js';
import { readRule } from './rule-body.js';
import { matchOf } from './rule-match.js';

const NOW_MS = Date.UTC(2026, 0, 1);

function ruleOf(rule: object) {
  return readRule(Buffer.from(JSON.stringify(rule)), NOW_MS).rule;
}

function judged(raw: string, isCut = false): JudgedCall {
  return new JudgedCall(readCall(Buffer.from(raw), 0), 'coder', isCut);
}

it('there are at least 300 different hostile calls', () => {
  expect(new Set(HOSTILE_GROUPS.flatMap(({ hostile }) => hostile)).size).toBeGreaterThanOrEqual(300);
});

describe.each(HOSTILE_GROUPS)('A rule that allows $what', ({ rule, allowed, hostile }) => {
  it('allows what it was made for', () => {
    expect(matchOf(ruleOf(rule), judged(allowed))).toMatchObject({ isMatch: true });
  });

  it('allows no hostile call', () => {
    const read = ruleOf(rule);
    expect(hostile.filter((raw) => matchOf(read, judged(raw)).isMatch)).toEqual([]);
  });

  it('allows no call that was cut', () => {
    expect(matchOf(ruleOf(rule), judged(allowed, true)).isMatch).toBe(false);
  });

  it('allows nothing to another agent', () => {
    const call = new JudgedCall(readCall(Buffer.from(allowed), 0), 'coder2', false);
    expect(matchOf(ruleOf(rule), call).isMatch).toBe(false);
  });
});
