import { allow, withArgument, type HostileGroup } from './hostile-group.js';

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

/** Somebody wants a file or a host that the rule does not name. */
export const HOSTILE_PATHS: readonly HostileGroup[] = [
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
    what: 'names with a beginning that ends in a dot',
    rule: allow(['Lookup'], [{ path: '/key', prefix: '/work/repo/.' }]),
    allowed: withArgument('Lookup', 'key', ['/work/repo/.github/a.b'])[0]!,
    hostile: withArgument('Lookup', 'key', ['/work/repo/..', '/work/repo/../secret', '/work/repo/.a/../../x']),
  },
  {
    what: 'a text that begins in the middle of what could be an address',
    rule: allow(['Lookup'], [{ path: '/key', prefix: '\nht' }]),
    allowed: withArgument('Lookup', 'key', ['\nhtml/a'])[0]!,
    hostile: withArgument('Lookup', 'key', ['\nhttps://evil/', '\nhttps:evil', '\nhttp:///evil/']),
  },
  {
    what: 'a text with a beginning',
    rule: allow(['Lookup'], [{ path: '/key', prefix: 'https' }]),
    allowed: withArgument('Lookup', 'key', ['https-proxy.a/b:c'])[0]!,
    hostile: withArgument('Lookup', 'key', [
      ...['https://evil/', 'https:///evil/', 'https:/evil/', 'https:evil/', 'https:', 'http', 'https\\evil', 'https a'],
    ]),
  },
];
