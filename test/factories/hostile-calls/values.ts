import { allow, callsOf, type HostileGroup } from './hostile-group.js';

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

/** Somebody wants values, or members, that the rule does not bound. */
export const HOSTILE_VALUES: readonly HostileGroup[] = [
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
    what: 'a program whose words are named one by one, with any other arguments',
    rule: allow(
      ['shell'],
      [
        { path: '/command/0', equals: 'git' },
        { path: '/command/1', equals: 'status' },
      ],
      { other: 'any' },
    ),
    allowed: callsOf('shell', ['{"command":["git","status"],"timeout":5}'])[0]!,
    hostile: callsOf('shell', [
      ...[
        '{"command":["git","status","--","x"]}',
        '{"command":["git","status",";","rm","-rf","/"]}',
        '{"command":["git","status",["rm"]]}',
        '{"command":["git","status",{}]}',
        '{"command":["git"]}',
      ],
      '{"command":{"0":"git","1":"status","2":"rm -rf /"}}',
      '{"command":{"0":"git","1":"status","then":"rm -rf /"}}',
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
