import { readCall } from '../decision/tool-calls.js';
import { HOSTILE_GROUPS } from '../../../../test/factories/hostile-calls/hostile-groups.js';
import { JudgedCall } from './judged-call.js';
import type { StoredRule } from './rule.js';
import { readRule } from './rule-body.js';
import { matchOf } from './rule-match.js';
import { BOUNDLESS, verdictOf } from './rule-verdict.js';

const NOW_MS = Date.UTC(2026, 0, 1);

function stored(rule: object, n = 0): StoredRule {
  return { ...readRule(Buffer.from(JSON.stringify(rule)), NOW_MS).rule, id: `rule-${n}`, createdAtMs: n };
}

function judged(raw: string): JudgedCall {
  return new JudgedCall(readCall(Buffer.from(raw), 0), 'coder', false);
}

type Json = Record<string, unknown> | unknown[];

/** The arguments with one more member or element, in each possible place. */
function withOneMore(args: Json, name: string, value: unknown): Json[] {
  const here: Json = Array.isArray(args) ? [...args, value] : { ...args, [name]: value };
  const below = Object.entries(args).flatMap(([key, child]) => {
    if (typeof child !== 'object' || child === null) return [];
    return withOneMore(child as Json, name, value).map((changed): Json => {
      return Array.isArray(args)
        ? args.map((one, i) => (String(i) === key ? changed : one))
        : { ...args, [key]: changed };
    });
  });
  return [here, ...below];
}

const NAMES = [
  'x',
  '',
  '0',
  'command ',
  'Command',
  '/',
  '~',
  '~0',
  '~1',
  'a/b',
  '__proto__',
  'constructor',
  'cоmmand',
  '\u200b',
];
const VALUES = [null, false, 0, -0, '', 'x', [], {}, [{}], { command: 'rm -rf /' }];

describe.each(HOSTILE_GROUPS.filter(({ rule }) => rule.other !== 'any'))(
  'A rule that allows $what',
  ({ rule, allowed }) => {
    const { name, args, ...rest } = JSON.parse(allowed) as { name: string; args: Json };
    const read = stored(rule);

    it('asks about each member that is added anywhere', () => {
      const found = NAMES.flatMap((added) => VALUES.flatMap((value) => withOneMore(args, added, value)))
        .map((changed) => JSON.stringify({ name, args: changed, ...rest }))
        .filter((raw) => matchOf(read, judged(raw)).isMatch);
      expect(found).toEqual([]);
    });

    it('is overruled by each that denies, and by each that asks, whatever stands first', () => {
      const others = ['deny', 'ask'].map((effect) => ({ effect, agents: ['cod*'], tools: ['*'], note: 'No.' }));
      const [deny, ask] = others;
      const verbOf = (...rules: object[]) =>
        verdictOf(rules.map(stored), [judged(allowed)], false, BOUNDLESS)?.calls[0]?.verb ?? null;
      expect(verbOf(rule, rule)).toBe('approve');
      expect([verbOf(rule, deny!), verbOf(deny!, rule)]).toEqual(['reject', 'reject']);
      expect([verbOf(rule, ask!), verbOf(ask!, rule)]).toEqual([null, null]);
      expect([verbOf(rule, ask!, deny!), verbOf(deny!, ask!, rule), verbOf(ask!, rule, deny!)]).toEqual(
        Array(3).fill('reject'),
      );
    });
  },
);

it('A rule that asks from an amount on asks about numbers that cannot be judged, too', () => {
  const rule = stored({
    effect: 'ask',
    agents: ['coder'],
    tools: ['pay'],
    where: [{ path: '/n', min: 100 }],
    note: 'Much.',
  });
  const isMatch = (n: string) => matchOf(rule, judged(`{"name":"pay","args":{"n":${n}}}`)).isMatch;
  expect(['100', '1e2', '1e400', '1e-400', `1${'0'.repeat(50)}`].map(isMatch)).toEqual(Array(5).fill(true));
  expect(['99.9', '-0', '"100"', 'null'].map(isMatch)).toEqual(Array(4).fill(false));
});

it('What is said of a call is short, whatever its arguments are called', () => {
  const rule = stored({ effect: 'allow', agents: ['coder'], tools: ['pay'], limits: { per_day: 1 }, note: 'None.' });
  const match = matchOf(rule, judged(JSON.stringify({ name: 'pay', args: { ['x'.repeat(100_000)]: 1 } })));
  expect(match).toEqual({ isMatch: false, why: expect.stringMatching(/^The rule does not speak of \/x{500,511}….$/) });
});

it.each(['deny', 'ask'])('No rule allows a call to which a rule with %s may apply', (effect) => {
  const names = { agents: ['coder'], tools: ['pay'], note: 'So.' };
  const allow = stored({ ...names, effect: 'allow', limits: { per_day: 5 }, other: 'any' });
  const bounded = stored({ ...names, effect, folder: '/work' });
  const verbOf = (raw: string) => verdictOf([allow, bounded], [judged(raw)], false, BOUNDLESS)?.calls[0]?.verb ?? null;
  const inside = effect === 'deny' ? 'reject' : null;
  expect(verbOf('{"name":"pay","args":{},"cwd":"/work/a"}')).toBe(inside);
  expect(verbOf('{"name":"pay","args":{},"cwd":"/home"}')).toBe('approve');
  expect(verbOf('{"name":"pay","args":{}}')).toBeNull();
});
