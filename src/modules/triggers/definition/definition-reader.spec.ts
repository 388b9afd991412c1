import { DefinitionError, type Definition } from './definition.js';
import { parseDefinition } from './definition-reader.js';

const VARIABLES = { MODEL: 'small', EMPTY: '', HOOK_TOKEN: 'a-token', HOOK_SECRET: 'a secret' };

function read(text: string): Definition {
  return parseDefinition('/srv/support/agents.yaml', text, { variables: VARIABLES, defaultPort: 9100 });
}

/** The faults of a file, as the command prints them. */
function faultsOf(text: string): string[] {
  try {
    read(text);
  } catch (error) {
    if (error instanceof DefinitionError) return error.message.split('\n');
    throw error;
  }
  return [];
}

/** A file with one good agent and the given triggers. */
const withTriggers = (...triggers: string[]) =>
  ['agents: { support: { command: [node, agent.mjs] } }', 'triggers:', ...triggers.map((one) => `  - ${one}`)].join(
    '\n',
  );

/** A file with one agent that has the given keys besides its command. */
const withAgent = (keys: string) => `agents: { support: { command: [node, agent.mjs], ${keys} } }`;

const FAULTS_OF_WEBHOOKS = [
  ['auth: { type: github }', /\.auth\.secret: is missing/],
  ['auth: { type: github, secret: [] }', /\.auth\.secret: must have at least one/],
  ['auth: { type: github, secret: [a, 7] }', /\.auth\.secret: must be texts/],
  ['auth: { type: standard, secret: "not base64" }', /\.auth\.secret: must be the base64/],
  ['auth: { type: token, secret: s }', /\.auth\.header: is missing/],
  ['auth: { type: token, secret: s, header: "X Y" }', /\.auth\.header: must be the name of a header/],
  ['auth: { type: hmac, secret: s, algorithm: md5 }', /\.auth\.algorithm: must be one of sha256, sha512, sha1/],
  ['auth: { type: hmac, secret: s, signed: "{timestamp}" }', /\.auth\.signed: must have \{body\}/],
  ['auth: { type: hmac, secret: s, signed: "{header:a b}{body}" }', /\.auth\.signed: .*names no header/],
  ['auth: { type: hmac, secret: s, timestamp: X-Time }', /\.auth\.timestamp: needs \{timestamp\}/],
  ['auth: { type: hmac, secret: s, delivery_id: fixed }', /\.auth\.delivery_id: must name a header or a value/],
  ['auth: { type: hmac, secret: s, delivery_id: "{/a~2}" }', /\.auth\.delivery_id: .*~ without 0 or 1/],
  ['message: "{/a~}"', /\.message: has \{\/a~\}, which has a ~ without 0 or 1/],
  ['message: "{header:}"', /\.message: .*names no header/],
  ['message: ""', /\.message: must not be empty/],
  ['thread_id: "{/a}"', /\.thread_id: needs `message`/],
  ['message: x, thread_id: "channel:{/a}"', /\.thread_id: must not begin with channel:/],
  ['when: {}', /\.when: must have at least one condition/],
  ['when: { action: opened }', /\.when\.action: must be a JSON Pointer/],
  ['when: { "/action": }', /\.when\["\/action"\]: must be a value/],
  ['when: { "/action": [] }', /\.when\["\/action"\]: must be a value/],
  ['unless: { "/action": { a: b } }', /\.unless\["\/action"\]: must be a value/],
  ['unless: opened', /\.unless: must be a map/],
] as const;

describe('A definition file', () => {
  const file = read(
    `
name: an existing file
agents:
  support:
    model: large
    command: [node, agent.mjs, "7"]
    env: { MODEL: "\${MODEL}-\${MODEL}", RETRIES: 3, VERBOSE: true, PRICE: "$\${MODEL}", NONE: "\${EMPTY}" }
    timeout_seconds: 900
    concurrency: 2
    queue_limit: 0
    budget_usd: 0.5
    on_restart: error
  "7": { command: [python3, research.py], triggers: [{ type: webhook, endpoint: /ask }] }
triggers:
  - { type: webhook, endpoint: /run }
  - { type: webhook, endpoint: /research, target_agent: "7", port: 9200 }
  - { type: schedule, cron: "0 9 * * MON-FRI", message: Stand up, timezone: Europe/Berlin, overlap: queue, catch_up: last, max_age: 600 }
`,
  );

  it('keeps the order of the agents, whatever their names: the first is the entry agent', () => {
    expect(file.agents.map(({ name }) => name)).toEqual(['support', '7']);
    expect(file.entryAgent.name).toBe('support');
    const numbered = read('{"agents": {"b": {"command": ["x"]}, "1": {"command": ["x"]}}}');
    expect(numbered.entryAgent.name).toBe('b');
  });

  it('warns of keys that are probably misspelt, and of no others', () => {
    expect(file.warnings).toEqual([]);
    const agent = '{ command: [node], concurency: 3, Budget-USD: 1, memory: large, trigers: [] }';
    const webhook = '{ type: webhook, endpoint: /run, auth: { type: hmac, secret: s, headers: X-Mine }, retries: 3 }';
    const { warnings } = read(`agents: { support: ${agent} }\ntriggers: [${webhook}]\nimages: mine\nversion: 2`);
    expect(warnings.toSorted()).toEqual([
      'agents.support.Budget-USD: is not known; did you mean budget_usd?',
      'agents.support.concurency: is not known; did you mean concurrency?',
      'agents.support.trigers: is not known; did you mean triggers?',
      'images: is not known; did you mean image?',
      'triggers[0].auth.headers: is not known; did you mean header?',
    ]);
  });

  it('names the misspelt key where one is missing', () => {
    expect(faultsOf('agents: { support: { comand: [node] } }')).toEqual([
      'agents.support.command: is missing: the agent cannot start without it. Give the program and its arguments as a list',
      'agents.support.comand: is not known; did you mean command?',
    ]);
  });

  it('says how an agent is run, with the environment in place of variables', () => {
    expect(file.agents[0]).toEqual({
      name: 'support',
      command: ['node', 'agent.mjs', '7'],
      env: { MODEL: 'small-small', RETRIES: '3', VERBOSE: 'true', PRICE: '${MODEL}', NONE: '' },
      timeoutSeconds: 900,
      concurrency: 2,
      queueLimit: 0,
      budgetUsd: 0.5,
      onRestart: 'error',
      workingDirectory: '/srv/support',
    });
    expect(file.agents[1]).toMatchObject({ timeoutSeconds: 3600, concurrency: 4, queueLimit: 100, budgetUsd: null });
  });

  it('gives each trigger its agent: the one above it, the one it names, or the entry agent', () => {
    expect(file.triggers.map(({ path, agentName }) => `${path} ${agentName}`)).toEqual([
      'agents.7.triggers[0] 7',
      'triggers[0] support',
      'triggers[1] 7',
      'triggers[2] support',
    ]);
  });

  it('says when a schedule is due and what becomes of missed ones', () => {
    expect(file.schedules).toEqual([
      expect.objectContaining({
        ...{ cron: '0 9 * * MON-FRI', timezone: 'Europe/Berlin', message: 'Stand up' },
        ...{ overlap: 'queue', catchUp: 'last', maxAgeSeconds: 600, threadId: null },
      }),
    ]);
    expect(read(withTriggers('{ type: schedule, cron: "* * * * *", message: x }')).schedules[0]).toMatchObject({
      ...{ timezone: 'UTC', overlap: 'skip', catchUp: 'none', maxAgeSeconds: null },
    });
  });

  it('knows a schedule again when its neighbours change, and tells twins apart', () => {
    const nightly = '{ type: schedule, cron: "0 1 * * *", message: Sweep }';
    const [alone] = read(withTriggers(nightly)).schedules;
    const [before, twin] = read(withTriggers('{ type: webhook, endpoint: /x }', nightly, nightly)).schedules;
    expect(before!.key).toBe(alone!.key);
    expect(twin!.key).not.toBe(alone!.key);
  });

  it('takes secrets of webhooks from the environment', () => {
    const { webhooks } = read(
      withTriggers(
        '{ type: webhook, endpoint: /a, auth: { type: bearer, token: "${HOOK_TOKEN}" } }',
        '{ type: webhook, endpoint: /b, auth: { type: hmac, secret: "${HOOK_SECRET}", header: X-Signature } }',
        '{ type: webhook, endpoint: /c, auth: { type: hmac, secret: plain } }',
      ),
    );
    expect(webhooks.map(({ auth }) => auth)).toMatchObject([
      { type: 'bearer', token: 'a-token' },
      { type: 'hmac', keys: [Buffer.from('a secret')], header: 'x-signature', signed: [{ kind: 'body' }] },
      { type: 'hmac', keys: [Buffer.from('plain')], header: 'x-hub-signature-256', algorithm: 'sha256' },
    ]);
  });

  it('may be JSON, indented with tabs', () => {
    const json = JSON.stringify({ agents: { a: { command: ['x', 'ü \u{1f600} \\ /'] } }, triggers: [] }, null, '\t');
    expect(read(json).agents[0]!.command).toEqual(['x', 'ü \u{1f600} \\ /']);
  });
});

describe('A faulty definition file', () => {
  it.each([
    ['', /must hold a map/],
    ['- a', /must hold a map/],
    ['agents: [', /^line \d+, column \d+: /],
    ['agents: { a: { command: [x] }, a: { command: [y] } }', /^line 1, column \d+: .*unique/],
    ['triggers: []', /^agents: is missing/],
    ['agents: {}', /^agents: must have at least one/],
    ['agents: [x]', /^agents: must be a map/],
    ['agents: { a: x }', /^agents\.a: must be a map/],
    ['agents: { a: { model: m } }', /^agents\.a\.command: is missing: the agent cannot start without it/],
    ['agents: { a: { command: node agent.mjs } }', /^agents\.a\.command: must be a list/],
    ['agents: { a: { command: [] } }', /^agents\.a\.command: must name a program/],
    ['agents: { a: { command: [node, 7] } }', /^agents\.a\.command\[1\]: must be text/],
    ['agents: { "..": { command: [x] } }', /^agents\["\.\."\]: .*must not be/],
    [withAgent('env: { A: "${NOT_SET}" }'), /^agents\.support\.env\.A: .*NOT_SET, which is not set/],
    [withAgent('env: { A: "${MODEL" }'), /^agents\.support\.env\.A: /],
    [withAgent('env: { A: [1] }'), /^agents\.support\.env\.A: must be text/],
    [withAgent('env: { A: }'), /^agents\.support\.env\.A: has no value; write ""/],
    [withAgent('env: { A: null }'), /^agents\.support\.env\.A: has no value/],
    [withAgent('env: { A: ~ }'), /^agents\.support\.env\.A: has no value/],
    [withAgent('env: { A: !secret key }'), /^agents\.support\.env\.A: has the tag !secret/],
    [withAgent('env: { A: !!binary aGVsbG8= }'), /^agents\.support\.env\.A: must be text/],
    [withAgent('env: { A: 1, A: 2 }'), /^line 1, column \d+: .*unique/],
    [withAgent('env: { 1: a, "1": b }'), /^line 1, column \d+: .*unique/],
    [withAgent('env: { 007: a }'), /^agents\.support\.env\.007: is not a valid name/],
    [withAgent('env: { [A, B]: a }'), /^agents\.support\.env: has a key that is no name/],
    [withAgent('env: !include more.yaml'), /^agents\.support\.env: must be a map/],
    [withAgent('<<: 5'), /^what stands under << must be a map/],
    [withAgent('<<: [{ budget_usd: 1 }, 7]'), /^what stands under << must be a map/],
    [withAgent('<<: *nobody'), /^what stands under << .*&NAME before/],
    [withAgent('budget_usd:'), /^agents\.support\.budget_usd: has no value/],
    [withAgent('on_restart:'), /^agents\.support\.on_restart: has no value/],
    [withAgent('budget_usd: !amount 5'), /^agents\.support\.budget_usd: must be a number/],
    [withAgent('budget_usd: 1_000'), /^agents\.support\.budget_usd: must be a number/],
    [withAgent('concurrency: 1e400'), /^agents\.support\.concurrency: must be a whole number/],
    ['agents:\n\ta: { command: [x] }', /^line 2, column 1: .*[Tt]abs/],
    ['agents: { a: { command: [x] } }\n---\nagents: {}', /^line 3|^line 2/],
    [withTriggers('{ type: schedule, cron: "* * * * *", message: 007 }'), /^triggers\[0\]\.message: must be text/],
    [
      withTriggers('{ type: schedule, cron: "* * * * *", message: x, timezone: }'),
      /^triggers\[0\]\.timezone: has no value/,
    ],
    [withTriggers('{ type: webhook, endpoint: /r, target_agent: }'), /^triggers\[0\]\.target_agent: has no value/],
    [withTriggers('{ type: webhook, endpoint: }'), /^triggers\[0\]\.endpoint: has no value/],
    [withAgent('env: { WAYSTATION_TOKEN: x }'), /^agents\.support\.env\.WAYSTATION_TOKEN: /],
    [withAgent('env: [A]'), /^agents\.support\.env: must be a map/],
    [withAgent('timeout_seconds: 0'), /^agents\.support\.timeout_seconds: must be above 0/],
    [withAgent('timeout_seconds: "9"'), /^agents\.support\.timeout_seconds: must be a number/],
    [withAgent('concurrency: 0'), /^agents\.support\.concurrency: must be a whole number from 1/],
    [withAgent('concurrency: 1.5'), /^agents\.support\.concurrency: /],
    [withAgent('queue_limit: -1'), /^agents\.support\.queue_limit: /],
    [withAgent('budget_usd: -0.5'), /^agents\.support\.budget_usd: /],
    [withAgent('budget_usd: .nan'), /^agents\.support\.budget_usd: /],
    [withAgent('on_restart: maybe'), /^agents\.support\.on_restart: must be one of resume, error/],
    [withAgent('triggers: { type: webhook }'), /^agents\.support\.triggers: must be a list/],
    [withAgent('triggers: [{ type: webhook }]'), /^agents\.support\.triggers\[0\]\.endpoint: is missing/],
    [withTriggers('5'), /^triggers\[0\]: must be a map/],
    [withTriggers('{ endpoint: /run }'), /^triggers\[0\]\.type: is missing/],
    [withTriggers('{ type: pigeon }'), /^triggers\[0\]\.type: must be one of webhook, schedule/],
    [withTriggers('{ type: webhook }'), /^triggers\[0\]\.endpoint: is missing/],
    [withTriggers('{ type: webhook, endpoint: run }'), /^triggers\[0\]\.endpoint: must begin with a slash/],
    [withTriggers('{ type: webhook, endpoint: "/run?x=1" }'), /^triggers\[0\]\.endpoint: must be only a path/],
    [withTriggers('{ type: webhook, endpoint: /r%zz }'), /^triggers\[0\]\.endpoint: .*percent/],
    [withTriggers('{ type: webhook, endpoint: /invoke/ }'), /^triggers\[0\]\.endpoint: \/invoke is reserved/],
    [withTriggers('{ type: webhook, endpoint: /x/../health }'), /^triggers\[0\]\.endpoint: \/health is reserved/],
    [withTriggers('{ type: webhook, endpoint: /r, port: 0 }'), /^triggers\[0\]\.port: .*from 1 to 65535/],
    [withTriggers('{ type: webhook, endpoint: /r, port: 65536 }'), /^triggers\[0\]\.port: /],
    [withTriggers('{ type: webhook, endpoint: /r, target_agent: who }'), /^triggers\[0\]\.target_agent: .*"who"/],
    [withTriggers('{ type: webhook, endpoint: /r, auth: }'), /^triggers\[0\]\.auth: must be a map/],
    [
      withTriggers('{ type: webhook, endpoint: /r, auth: { type: basic } }'),
      /^triggers\[0\]\.auth\.type: must be one of/,
    ],
    [
      withTriggers('{ type: webhook, endpoint: /r, auth: { type: bearer } }'),
      /^triggers\[0\]\.auth\.token: is missing/,
    ],
    [
      withTriggers('{ type: webhook, endpoint: /r, auth: { type: bearer, token: "${EMPTY}" } }'),
      /\.auth\.token: must not/,
    ],
    [withTriggers('{ type: webhook, endpoint: /r, auth: { type: hmac, secret: "${NO}" } }'), /\.auth\.secret: .*NO/],
    ...FAULTS_OF_WEBHOOKS.map<[string, RegExp]>(([keys, fault]) => [
      withTriggers(`{ type: webhook, endpoint: /r, ${keys} }`),
      fault,
    ]),
    [withTriggers('{ type: schedule, message: x }'), /^triggers\[0\]\.cron: is missing/],
    [withTriggers('{ type: schedule, cron: "0 9 * * * *", message: x }'), /^triggers\[0\]\.cron: .*six/],
    [withTriggers('{ type: schedule, cron: "0 99 * * *", message: x }'), /^triggers\[0\]\.cron: the hour field/],
    [withTriggers('{ type: schedule, cron: */5 * * * *, message: x }'), /^line 3, column \d+: .*quotes/],
    [withTriggers('{ type: schedule, cron: "* * * * *" }'), /^triggers\[0\]\.message: is missing/],
    [withTriggers('{ type: schedule, cron: "* * * * *", message: "" }'), /^triggers\[0\]\.message: must not be empty/],
    [
      withTriggers('{ type: schedule, cron: "* * * * *", message: x, timezone: Mars }'),
      /^triggers\[0\]\.timezone: "Mars"/,
    ],
    [
      withTriggers('{ type: schedule, cron: "* * * * *", message: x, overlap: no }'),
      /^triggers\[0\]\.overlap: must be/,
    ],
    [
      withTriggers('{ type: schedule, cron: "* * * * *", message: x, catch_up: some }'),
      /^triggers\[0\]\.catch_up: must/,
    ],
    [withTriggers('{ type: schedule, cron: "* * * * *", message: x, max_age: 0 }'), /^triggers\[0\]\.max_age: must be/],
    [
      withTriggers('{ type: webhook, endpoint: /r }', '{ type: webhook, endpoint: /r/, port: 9100 }'),
      /^triggers\[1\]\.endpoint: .*triggers\[0\]/,
    ],
  ])('is refused, with the place: %s', (text, fault) => {
    expect(faultsOf(text)).toEqual([expect.stringMatching(fault)]);
  });

  it('shows all its faults at once, and none of its secrets', () => {
    const faults = faultsOf(
      withTriggers(
        '{ type: webhook }',
        '{ type: schedule, cron: "61 * * * *" }',
        '{ type: webhook, endpoint: x, auth: { type: bearer, token: "sec ret" } }',
      ),
    );
    expect(faults.map((fault) => fault.split(': ')[0])).toEqual([
      ...['triggers[0].endpoint', 'triggers[1].cron', 'triggers[1].message'],
      ...['triggers[2].endpoint', 'triggers[2].auth.token'],
    ]);
    expect(faults.join('\n')).not.toContain('sec ret');
  });

  it('cannot make a huge one of a small one', () => {
    const levels = Array.from({ length: 9 }, (_, i) => `x${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`).join('\n');
    expect(faultsOf(`x0: &a0 [1]\n${levels}\nagents: { a: { command: [x] } }`)).toHaveLength(1);
  });
});
