/** A rule, and calls of which none may be allowed by it. Calls are exact JSON: some texts are no value that JavaScript could write. */
export interface HostileGroup {
  what: string;
  rule: Record<string, unknown>;
  /** A call that the rule does allow: it shows that the others fail for what is wrong with them. */
  allowed: string;
  hostile: readonly string[];
}

const LIMITS = { per_day: 1000 };

function allow(tools: readonly string[], where: readonly object[], further: object = {}): Record<string, unknown> {
  return { effect: 'allow', agents: ['coder'], tools, where, limits: LIMITS, note: 'Harmless.', ...further };
}

/** Calls of one tool with these exact arguments. */
function callsOf(tool: string, args: readonly string[]): string[] {
  return args.map((text) => `{"id":"call-1","name":${JSON.stringify(tool)},"args":${text}}`);
}

/** Calls whose only argument is one of these texts. */
function withArgument(tool: string, name: string, values: readonly string[]): string[] {
  return callsOf(
    tool,
    values.map((value) => JSON.stringify({ [name]: value })),
  );
}

function commands(...values: readonly string[]): string[] {
  return withArgument('Bash', 'command', values);
}

const GIT_STATUS = commands('git status')[0]!;

/** What may stand around, in front of or behind a harmless command. */
const AROUND_STATUS = commands(
  ...[
    'git status; rm -rf /',
    'git status && rm -rf /',
    'git status || rm -rf /',
    'git status | sh',
    'git status & rm -rf /',
  ],
  ...[
    'git status\nrm -rf /',
    'git status\r\nrm -rf /',
    'git status\rrm -rf /',
    'git status\n',
    '\ngit status',
    'git status\0',
  ],
  ...['git status\u000brm', 'git status\u000crm -rf /', 'git status\u0085rm -rf /', 'git status\u2028rm -rf /'],
  ...['git status\u2029rm -rf /', 'git status $(rm -rf /)', 'git status `rm -rf /`', 'git status <(rm -rf /)'],
  ...['git status > ~/.bashrc', 'git status >> /etc/passwd', 'git status 2>/dev/sda', 'git status < /dev/zero'],
  ...[
    ' git status',
    'git status ',
    'git  status',
    'git\tstatus',
    'git\u00a0status',
    'git\u2003status',
    'git\u3000status',
  ],
  ...[
    'git\u200bstatus',
    'git\ufeff status',
    'git \u202estatus',
    'git\u180estatus',
    'git\u1680status',
    'git\u2009status',
  ],
  ...[
    'GIT STATUS',
    'Git status',
    'git Status',
    'ɡit status',
    'gіt status',
    'git stаtus',
    'ｇｉｔ status',
    'git ѕtatus',
  ],
  ...[
    'sh -c "git status"',
    'bash -c "git status; rm -rf /"',
    'zsh -lc "git status"',
    'env git status',
    'env -i git status',
  ],
  ...[
    'sudo git status',
    'doas git status',
    'nohup git status',
    'time git status',
    'xargs git status',
    'nice git status',
  ],
  ...[
    'exec git status',
    'command git status',
    'eval git status',
    'eval "git status"',
    '. git status',
    'source git status',
  ],
  ...[
    '/tmp/git status',
    './git status',
    '../git status',
    '~/git status',
    '\\git status',
    "'git' status",
    '"git" status',
  ],
  ...[
    'g""it status',
    "g''it status",
    'g\\it status',
    '$GIT status',
    '${GIT} status',
    '{git,status}',
    'git status #x',
    '!git status',
  ],
  ...['PATH=/tmp git status', 'GIT_DIR=/tmp/evil git status', 'GIT_SSH_COMMAND=evil git status', 'A=1 git status'],
  ...[
    'git -c core.fsmonitor=/tmp/x status',
    'git -c core.pager=sh status',
    'git --exec-path=/tmp status',
    'git -C /tmp status',
  ],
  ...['git --git-dir=/tmp/evil status', 'git -p status', 'git --paginate status', 'git status --help', 'git status -s'],
  ...[
    'git status --porcelain',
    'git status -- .',
    'git status .',
    'git status *',
    'git status \\',
    'git status ~',
    'git statuses',
  ],
  ...[
    'git',
    'status',
    '',
    ' ',
    'git status git status',
    'git stash',
    'git status-evil',
    'gits tatus',
    'git status;',
    'git status&',
  ],
);

/** The same argument in other JSON. */
const STATUS_IN_OTHER_JSON = callsOf('Bash', [
  ...[
    '{"command":["git status"]}',
    '{"command":["git","status"]}',
    '{"command":{"value":"git status"}}',
    '{"command":null}',
  ],
  ...[
    '{"command":0}',
    '{"command":true}',
    '{"Command":"git status"}',
    '{"COMMAND":"git status"}',
    '{"command ":"git status"}',
  ],
  ...[
    '{" command":"git status"}',
    '{"cmd":"git status"}',
    '{"script":"git status"}',
    '{}',
    '[]',
    '["git status"]',
    'null',
  ],
  ...[
    '"git status"',
    '1',
    'true',
    '[{"command":"git status"}]',
    '{"args":{"command":"git status"}}',
    '{"":"git status"}',
  ],
  ...['{"command":"git status","command":"rm -rf /"}', '{"command":"rm -rf /","command":"git status"}'],
  ...['{"command":"git status","command":"git status"}', '{"command":"git status","comm\\u0061nd":"rm -rf /"}'],
  ...['{"command":"git status","Command":"rm -rf /"}', '{"command":"git status","dangerouslyDisableSandbox":true}'],
  ...['{"command":"git status","run_in_background":true}', '{"command":"git status","cwd":"/tmp"}'],
  ...['{"command":"git status","env":{"PATH":"/tmp"}}', '{"command":"git status","timeout":1e400}'],
  ...['{"command":"git status","description":""}', '{"command":"git status","description":null}'],
  ...['{"command":"git status","__proto__":{"command":"rm"}}', '{"command":"git status","constructor":{}}'],
  ...[
    '{"command":"git status","":0}',
    '{"command":"git status","x":{"a":1,"a":2}}',
    '{"command":"git status","command\\u0000":1}',
  ],
  ...['{"command":"git status\\u0000"}', '{"command":"git status\\u000arm -rf /"}', '{"command":"git\\u00a0status"}'],
  ...[
    '{"command":"git status\\ud800"}',
    '{"comm\\ud800and":"git status"}',
    '{"command/":"git status"}',
    '{"/command":"git status"}',
  ],
]);

/** Calls that one program may read otherwise than another. */
const SHAPES_OF_STATUS = [
  '{"name":"Bash","name":"Bash","args":{"command":"git status"}}',
  '{"name":"Bash","name":"Write","args":{"command":"git status"}}',
  '{"name":"Write","name":"Bash","args":{"command":"git status"}}',
  '{"name":"Bash","args":{"command":"git status"},"args":{"command":"rm -rf /"}}',
  '{"name":"Bash","args":{"command":"rm -rf /"},"args":{"command":"git status"}}',
  '{"name":"Bash","args":{"command":"git status"},"arguments":{"command":"rm -rf /"}}',
  '{"name":"Bash","args":{"command":"git status"},"input":{"command":"rm -rf /"}}',
  '{"name":"Bash","args":{"command":"git status"},"parameters":{}}',
  '{"name":"Bash","args":{"command":"git status"},"params":[]}',
  '{"name":"Bash","args":{"command":"git status"},"tool_input":"x"}',
  '{"name":"Bash","args":{"command":"git status"},"Args":{"command":"rm -rf /"}}',
  '{"name":"Bash","args":{"command":"git status"},"ARGUMENTS":{"command":"rm -rf /"}}',
  '{"name":"Bash","args":{"command":"git status"},"tool_name":"Write"}',
  '{"name":"Bash","args":{"command":"git status"},"toolName":"Bash"}',
  '{"name":"Bash","args":{"command":"git status"},"Name":"Write"}',
  '{"name":"Bash","args":{"command":"git status"},"tool":"Write"}',
  '{"name":"Bash","args":{"command":"git status"},"action":"Write"}',
  '{"name":"Bash","args":{"command":"git status"},"function":"Write"}',
  '{"name":"Bash","args":{"command":"git status"},"function":{"name":"Write","arguments":"{}"}}',
  '{"name":"Bash","args":{"command":"git status"},"function":{"arguments":{"command":"rm -rf /"}}}',
  '{"name":"Bash","function":{"name":"Bash","arguments":{"command":"git status"}}}',
  '{"args":{"command":"rm -rf /"},"function":{"name":"Bash","arguments":{"command":"git status"}}}',
  '{"function":{"name":"Bash","arguments":{"command":"git status"},"arguments":{"command":"rm -rf /"}}}',
  '{"function":{"name":"Bash","arguments":"{\\"command\\":\\"git status\\",\\"command\\":\\"rm -rf /\\"}"}}',
  '{"function":{"name":"Bash","arguments":{"command":"git status"}},"functionCall":{"name":"Write","args":{}}}',
  '{"function":{"name":"Bash","arguments":{"command":"git status"}},"tool_call":{"name":"Write","args":{}}}',
  '{"function":{"name":"Bash","arguments":{"command":"git status"}},"function":{"name":"Write","arguments":{}}}',
  '{"function":{"function":{"name":"Bash","arguments":{"command":"git status"}}}}',
  '{"toolUse":{"name":"Bash","input":{"command":"git status"},"Input":{"command":"rm -rf /"}}}',
  '{"action_request":{"action":"Bash","args":{"command":"git status"}},"args":{"command":"rm -rf /"}}',
  '{"name":"Bash","args":"{\\"command\\":\\"git status\\",\\"command\\":\\"rm\\"}"}',
  '{"name":"Bash","args":"git status"}',
  '{"name":"Bash","args":"\\"git status\\""}',
  '{"name":"Bash","args":"[\\"git status\\"]"}',
  '{"name":"Bash","args":["git status"]}',
  '{"name":"Bash","args":null}',
  '{"name":"Bash"}',
  '{"name":"Bash","command":"git status"}',
  '{"name":"Bash","args":{"command":"git status"},"questions":[{"text":"Which?"}]}',
  '{"name":"Bash","args":{"command":"git status"},"Questions":null}',
  '{"name":"Bash","Function":{"arguments":{"command":"git status"}}}',
  '{"type":"mcp_call","server_label":"prod","name":"Bash","arguments":"{\\"command\\":\\"git status\\"}"}',
  '{"name":"Bash","args":{"command":"git status"},"serverName":null}',
  '{"function":{"name":"Bash","arguments":{"command":"git status"},"tool_call":{"name":"Write","args":{}}}}',
  '{"name":"Bash","args":{"command":"git status"},"cwd":"/tmp","Cwd":"/"}',
  '{"name":null,"args":{"command":"git status"}}',
  '{"name":["Bash"],"args":{"command":"git status"}}',
  '{"name":{"name":"Bash"},"args":{"command":"git status"}}',
  '{"name":"bash","args":{"command":"git status"}}',
  '{"name":"Bash ","args":{"command":"git status"}}',
  '{"name":" Bash","args":{"command":"git status"}}',
  '{"name":"Bаsh","args":{"command":"git status"}}',
  '{"name":"Bash\\u0000","args":{"command":"git status"}}',
  '{"name":"BashOutput","args":{"command":"git status"}}',
  '{"name":"","args":{"command":"git status"}}',
  '{"args":{"command":"git status"}}',
  '{"command":"git status"}',
  '["Bash",{"command":"git status"}]',
  '"git status"',
  'null',
  '7',
];

/** Of these, `git add *` and `git log *` must match none. */
const NAMES_THAT_ARE_NONE = commands(
  ...[
    'git add -A',
    'git add --all',
    'git add -f',
    'git add ~',
    'git add ~/x',
    'git add $HOME',
    'git add ${X}',
    'git add `x`',
  ],
  ...[
    'git add *',
    'git add ?',
    'git add [a]',
    'git add {a,b}',
    'git add "a"',
    "git add 'a'",
    'git add a;rm',
    'git add a&b',
    'git add a|b',
  ],
  ...[
    'git add .',
    'git add ..',
    'git add ../x',
    'git add a/../b',
    'git add a/./b',
    'git add .env',
    'git add a/.git/config',
    'git add .git/hooks/x',
  ],
  ...[
    'git add /etc/passwd',
    'git add //x',
    'git add a//b',
    'git add a/',
    'git add a b',
    'git add',
    'git add ',
    'git add a ',
    'git add  a',
  ],
  ...[
    'git add a\nrm',
    'git add a\\',
    'git add a>b',
    'git add a<b',
    'git add a=b',
    'git add a:b',
    'git add a@b',
    'git add a%b',
    'git add a#b',
  ],
  ...[
    'git add a!b',
    'git add a(b)',
    'git add a^b',
    'git add :(top)',
    'git add :/',
    'git add é',
    'git add a\u202eb',
    'git add a\u00a0b',
    'git add a/-x',
  ],
  ...[
    'git add a\u200b',
    'git add +a',
    'git add +a/b',
    'git add аbc',
    'git  add a',
    'git add\ta',
    'sudo git add a',
    'git add a # b',
    'git Add a',
    'git addx a',
  ],
);

const OUTSIDE_THE_FOLDER = withArgument('Read', 'file_path', [
  ...[
    '/work/repo',
    '/work/repo/',
    '/work/repo//a',
    '/work/repo/a//b',
    '/work/repo/a/',
    '/work/repo/../secret',
    '/work/repo/a/../../x',
  ],
  ...[
    '/work/repo/..',
    '/work/repo/.',
    '/work/repo/./a',
    '/work/repo/.env',
    '/work/repo/.git/config',
    '/work/repo/a/.ssh/id',
    '/work/repo/...',
  ],
  ...[
    '/work/repository/a',
    '/work/repo2/a',
    '/work/rep',
    '/work',
    '/',
    '',
    'a',
    './a',
    'work/repo/a',
    '../work/repo/a',
    '~/a',
    '/work/repo/~',
  ],
  ...[
    '/work/repo/~root/x',
    '/work/repo/a~',
    '/work/repo\\a',
    '/work/repo/a\\..\\b',
    'C:\\work\\repo\\a',
    '/work/repo/a\0',
    '/work/repo/a\n',
  ],
  ...[
    '/work/repo/a\r',
    '/work/repo/\ta',
    '/work/repo/a\u2028b',
    '/work/repo/a\u202eb',
    '/work/repo/\u200b.env',
    '//work/repo/a',
    '/WORK/repo/a',
  ],
  ...[
    '/work/Repo/a',
    ' /work/repo/a',
    'file:///work/repo/a',
    '/work/repo/\u007fa',
    '/work/repo/a\u0085',
    '/work/./repo/a',
    '/x/../work/repo/a',
  ],
]);

const OTHER_HOSTS = withArgument('WebFetch', 'url', [
  ...[
    'https://api.example.com.evil/v1/a',
    'https://api.example.com@evil/v1/a',
    'https://api.example.com:443/v1/a',
    'http://api.example.com/v1/a',
  ],
  ...[
    'https://evil/https://api.example.com/v1/',
    'https://api.example.com/v1',
    'https://api.example.com/v2/a',
    'HTTPS://api.example.com/v1/a',
  ],
  ...[
    'https://API.example.com/v1/a',
    'https://api.example.com/v1/../admin',
    'https://api.example.com/v1/a/..',
    'https://api.example.com/v1/..;/a',
  ],
  ...[
    'https://api.example.com/v1/%2e%2e/a',
    'https://api.example.com/v1/a?b=c',
    'https://api.example.com/v1/a#b',
    'https://api.example.com/v1/a b',
  ],
  ...[
    'https://api.example.com/v1/a\nHost: evil',
    'https://api.example.com/v1/\\..\\a',
    'https://api.example.com/v1/$(id)',
    'https://api.example.com/v1/`id`',
  ],
  ...[
    'https://api.example.com/v1/a;id',
    'https://api.example.com/v1/a&b',
    'https://api.example.com/v1/a|b',
    'https://api.example.com/v1/"a"',
  ],
  ...[
    "https://api.example.com/v1/'a'",
    'https://api.example.com/v1/<a>',
    'https://api.example.com/v1/*',
    'https://api.example.com/v1/~root',
  ],
  ...[
    'https://api.example.com/v1/é',
    'https://api.example.com/v1/a\u2028b',
    ' https://api.example.com/v1/a',
    '//api.example.com/v1/a',
    '',
  ],
  ...[
    'https://api。example.com/v1/a',
    'https://api.example.com/v1/a\0',
    'https://api.example.com/v1/{a}',
    'https://api.example.com/v1/!x',
  ],
]);

const WRONG_AMOUNTS = callsOf('refund', [
  ...[
    '{"order":"4711","amount":100.000000000000000000000000000001}',
    '{"order":"4711","amount":1e400}',
    '{"order":"4711","amount":1e2000000000}',
  ],
  ...[
    '{"order":"4711","amount":-1}',
    '{"order":"4711","amount":-1e-30}',
    '{"order":"4711","amount":"5"}',
    '{"order":"4711","amount":null}',
  ],
  ...[
    '{"order":"4711","amount":true}',
    '{"order":"4711","amount":[5]}',
    '{"order":"4711","amount":{"value":5}}',
    '{"order":"4711"}',
  ],
  ...[
    '{"order":"4711","amount":5,"amount":500}',
    '{"order":"4711","amount":500,"amount":5}',
    '{"order":"4711","Amount":5}',
  ],
  ...[
    '{"order":"4711","amount":5,"currency":"BTC"}',
    '{"amount":5}',
    '{"order":{"command":"rm"},"amount":5}',
    '{"order":[{"x":{"sql":"DROP"}}],"amount":5}',
  ],
  ...[
    '{"order":{"CMD":1},"amount":5}',
    '{"order":"4711","amount":99999999999999999999999999999999999999999}',
    '{"order":"4711","amount":1e2147483648}',
  ],
  ...[
    '{"order":"4711","amount":101}',
    '{"order":"4711","amount":1.0E3}',
    '{"order":"4711","amount":0.00000000000000000000000000000000000000001}',
  ],
  ...['{"order":"4711","amount":1e-99999999999999999999999}', '{"order":"4711","amount":1e99999999999999999999999}'],
]);

export const HOSTILE_GROUPS: readonly HostileGroup[] = [
  {
    what: 'a command that must be equal',
    rule: allow(['Bash'], [{ path: '/command', equals: 'git status' }]),
    allowed: GIT_STATUS,
    hostile: [...AROUND_STATUS, ...STATUS_IN_OTHER_JSON, ...SHAPES_OF_STATUS],
  },
  {
    what: 'the words of a command',
    rule: allow(['Bash'], [{ path: '/command', words: 'git status' }]),
    allowed: GIT_STATUS,
    hostile: [...AROUND_STATUS, ...STATUS_IN_OTHER_JSON, ...SHAPES_OF_STATUS],
  },
  {
    what: 'a command with one name',
    rule: allow(['Bash'], [{ path: '/command', words: 'git add *' }]),
    allowed: commands('git add src/a-b_c,d+e.ts')[0]!,
    hostile: [...NAMES_THAT_ARE_NONE, ...AROUND_STATUS],
  },
  {
    what: 'files of a folder',
    rule: allow(['Read'], [{ path: '/file_path', within: '/work/repo' }]),
    allowed: withArgument('Read', 'file_path', ['/work/repo/src/Ünïcode file (1).ts'])[0]!,
    hostile: OUTSIDE_THE_FOLDER,
  },
  {
    what: 'addresses of a host',
    rule: allow(['WebFetch'], [{ path: '/url', prefix: 'https://api.example.com/v1/' }]),
    allowed: withArgument('WebFetch', 'url', ['https://api.example.com/v1/items/a-b_c.d:e@f+g=h,i'])[0]!,
    hostile: OTHER_HOSTS,
  },
  {
    what: 'a text with a beginning',
    rule: allow(['Lookup'], [{ path: '/key', prefix: 'https' }]),
    allowed: withArgument('Lookup', 'key', ['https-proxy.a/b:c'])[0]!,
    hostile: withArgument('Lookup', 'key', [
      ...['https://evil/', 'https:///evil/', 'https:/evil/', 'https:evil/', 'https:', 'http', 'https\\evil', 'https a'],
    ]),
  },
  {
    what: 'an amount',
    rule: allow(
      ['refund'],
      [
        { path: '/amount', min: 0, max: 100 },
        { path: '/order', any: true },
      ],
      {
        limits: { per_day: 10, sum: { path: '/amount', per_day: 500 } },
      },
    ),
    allowed: callsOf('refund', ['{"order":"4711","amount":99.99}'])[0]!,
    hostile: WRONG_AMOUNTS,
  },
  {
    what: 'any arguments at all',
    rule: allow(['note'], [], { other: 'any' }),
    allowed: callsOf('note', ['{"text":"a","list":[1,{"b":1e400}]}'])[0]!,
    hostile: callsOf('note', [
      ...[
        '{"command":"x"}',
        '{"Cmd":"x"}',
        '{"a":{"script":1}}',
        '{"a":[[{"code":null}]]}',
        '{"SQL":""}',
        '{"a":1,"a":2}',
        '[]',
        '"x"',
      ],
      ...['{"\\u0063ode":1}', '{"a":{"b":1,"b":1}}'],
    ]),
  },
  {
    what: 'a folder in which the agent works',
    rule: allow(['Bash'], [{ path: '/command', words: 'npm test' }], { folder: '/work/repo' }),
    allowed: '{"name":"Bash","args":{"command":"npm test"},"cwd":"/work/repo/packages/a"}',
    hostile: [
      ...[
        '"/tmp"',
        '"/work/repo2"',
        '"/work/repo/../x"',
        '"/work/repo/.git"',
        '"/work"',
        '""',
        'null',
        '["/work/repo"]',
        '"~/x"',
        '"/work/repo/"',
      ],
      ...['"work/repo"', '"/work/repo\\u0000"', '"/work/repo/\\n"', '"C:\\\\work\\\\repo"'],
    ]
      .map((cwd) => `{"name":"Bash","args":{"command":"npm test"},"cwd":${cwd}}`)
      .concat([
        '{"name":"Bash","args":{"command":"npm test"}}',
        '{"name":"Bash","args":{"command":"npm test"},"cwd":"/work/repo","cwd":"/tmp"}',
        '{"name":"Bash","args":{"command":"npm test"},"Cwd":"/work/repo"}',
        '{"name":"Bash","args":{"command":"npm test"},"cwd":"/work/repo","CWD":"/tmp"}',
      ]),
  },
  {
    what: 'one of some values',
    rule: allow(
      ['deploy'],
      [
        { path: '/env', one_of: ['staging', 'test', 1, null] },
        { path: '/flags/0', equals: { dry: true } },
      ],
    ),
    allowed: callsOf('deploy', ['{"env":1.0,"flags":[{"dry":true}]}'])[0]!,
    hostile: callsOf('deploy', [
      ...[
        '{"env":"production","flags":[{"dry":true}]}',
        '{"env":"Staging","flags":[{"dry":true}]}',
        '{"env":"1","flags":[{"dry":true}]}',
      ],
      ...[
        '{"env":"null","flags":[{"dry":true}]}',
        '{"env":["staging"],"flags":[{"dry":true}]}',
        '{"env":"staging ","flags":[{"dry":true}]}',
      ],
      ...[
        '{"env":"staging","flags":[{"dry":false}]}',
        '{"env":"staging","flags":[{"dry":true,"x":1}]}',
        '{"env":"staging","flags":[]}',
      ],
      ...[
        '{"env":"staging","flags":[{"dry":true},{"dry":true}]}',
        '{"env":"staging","flags":{"0":{"dry":true},"1":1}}',
        '{"env":"staging"}',
      ],
      ...[
        '{"env":"staging","flags":[{"dry":"true"}]}',
        '{"env":1.0000000000000000000000000000000001,"flags":[{"dry":true}]}',
      ],
    ]),
  },
];
