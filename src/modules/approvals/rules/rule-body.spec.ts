import { DomainError } from '../../../common/domain-error.js';
import { readRule } from './rule-body.js';

const NOW_MS = Date.UTC(2026, 0, 1);
const RULE = {
  effect: 'allow',
  agents: ['coder'],
  tools: ['Bash'],
  where: [],
  limits: { per_day: 5 },
  note: 'Harmless.',
};

/** The code and fields of the rule's fault; null for none. */
function faultOf(rule: object | string): unknown {
  try {
    readRule(Buffer.from(typeof rule === 'string' ? rule : JSON.stringify({ ...RULE, ...rule })), NOW_MS);
    return null;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return `${error.code} ${error.errors.map(({ path }) => path).join(' ')}`;
  }
}

const where = (...conditions: object[]) => ({ where: conditions });

it.each([
  ['a program with a beginning', { path: '/command', prefix: 'git ' }],
  ['a program in a folder, whose arguments are open', { path: '/command', within: '/usr/bin' }],
  ['any program', { path: '/steps/0/Script', any: true }],
])('An allow is unsafe with %s', (_what, condition) => {
  expect(faultOf(where(condition))).toBe('unsafe_rule where[0]');
});

it.each([
  ...[
    'https:',
    'https:/',
    'https://',
    'https:///',
    'https:///api',
    'https://api.example.com',
    'HTTP:\\\\api',
    'https:api',
  ],
  ...['//', '//api', '///api', '\\\\api', 'git://api', 'https://ada@', 'wss:api:80', 'mailto:'],
  ...[' https://api', '\u0001https://api', 'ht\ntps://api', 'https:\t//api', 'jdbc:postgresql://api'],
])('An allow is unsafe with the beginning %s, whose host is open', (prefix) => {
  expect(faultOf(where({ path: '/url', prefix }))).toBe('unsafe_rule where[0].prefix');
});

it.each([
  ...['https://api.example.com/', 'https:///api/', 'file:///work/', '/work/', 'https', 'team:a', 'https://a?b='],
  ...[' https://api/', 'jdbc:postgresql://api/', 'a\nb'],
])('An allow may have the beginning %s', (prefix) => expect(faultOf(where({ path: '/url', prefix }))).toBeNull());

it.each([
  ...[
    'bash *',
    '/bin/sh *',
    'sudo ls *',
    'env ls *',
    'nodejs *',
    'python3.12 *',
    'Bash.exe *',
    'pytest *',
    'A=1 ls *',
    '* a',
  ],
  ...['rsync -e *', 'tar --to-command *', 'git add *.ts', 'ls $HOME *', 'ls "a *', 'timeout 5 ls *', 'xvfb-run *'],
  ...['git bisect run *', 'git submodule foreach *', 'git fetch --upload-pack *', 'eslint --config *', 'jest *'],
])('An allow is unsafe with the words %s', (words) => {
  expect(faultOf(where({ path: '/command', words }))).toBe('unsafe_rule where[0].words');
});

it('A rule may begin with a byte order mark, and name each agent that there can be', () => {
  expect(faultOf(`\ufeff${JSON.stringify(RULE)}`)).toBeNull();
  expect(faultOf({ agents: ['a'.repeat(512)] })).toBeNull();
  expect(faultOf({ agents: ['a'.repeat(513)] })).toBe('invalid_request agents[0]');
});

it.each([
  ['{"effect":"allow","effect":"deny"}', 'invalid_request effect'],
  [{ agents: ['a*'] }, 'unsafe_rule agents[0]'],
  [{ effect: 'deny', limits: null, agents: ['a*b'] }, 'invalid_request agents[0]'],
  [{ limits: {} }, 'invalid_request limits.per_day'],
  [{ limits: { per_day: 10_001 } }, 'invalid_request limits.per_day'],
  [
    { limits: { per_day: 5, sum: { path: 'amount', per_day: -1 } } },
    'invalid_request limits.sum.path limits.sum.per_day',
  ],
  [{ expires_at: '2027-02-01T00:00:00Z' }, 'invalid_request expires_at'],
  [where({ path: '/a', min: 2, max: 1 }), 'invalid_request where[0]'],
  [where({ path: '/a~2', any: true }), 'invalid_request where[0].path'],
  [where({ path: '/a', any: true, min: 1 }), 'invalid_request where[0]'],
  [where({ path: '/a', within: '/a/../b' }), 'invalid_request where[0].within'],
  [where({ path: '/a', words: 'a\tb' }), 'invalid_request where[0].words'],
  [{ note: ' ' }, 'invalid_request note'],
  [{ name: 'x' }, 'invalid_request name'],
])('An error names the field: %j', (rule, expected) => {
  expect(faultOf(rule)).toBe(expected);
});
