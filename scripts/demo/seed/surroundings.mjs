const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Agents that were there a moment ago, with what starts them; two channels of accounts that are made up, switched off. */
export async function seedSurroundings(api, nowMs) {
  const beats = agents(nowMs).map((data) => ({ type: 'heartbeat', data }));
  expect(await api.post('/v1/runners/events', JSON.stringify({ events: beats })), 200);
  for (const { order, agents: bound } of CHANNELS) {
    const answer = await api.post('/v1/channels', JSON.stringify(order));
    if (answer.status === 409) continue; // by an earlier demonstration
    const path = `/v1/channels/${expect(answer, 201).json().id}`;
    expect(await api.patch(path, JSON.stringify({ enabled: false })), 200);
    for (const agent of bound) expect(await api.post(`${path}/agents`, JSON.stringify(agent)), 201);
  }
}

function agents(nowMs) {
  return [
    { agent_id: 'support', triggers: [{ id: 'triggers[0]', type: 'webhook', endpoint: '/support' }] },
    { agent_id: 'cashier' },
    { agent_id: 'release', triggers: [{ id: 'triggers[0]', type: 'webhook', endpoint: '/hooks/release' }] },
    { agent_id: 'reporter', triggers: [schedule('0 6 * * *', 'UTC', nowMs, DAY_MS, 6 * HOUR_MS)] },
    {
      agent_id: 'crawler',
      triggers: [
        schedule('30 * * * *', 'Europe/Lisbon', nowMs, HOUR_MS, HOUR_MS / 2),
        { id: 'triggers[1]', type: 'webhook', endpoint: '/crawl' },
      ],
    },
  ];
}

/** The firings of a schedule that fires once in each span, so long after it begins. */
function schedule(cron, timezone, nowMs, spanMs, afterMs) {
  const firstMs = Math.floor((nowMs - afterMs) / spanMs + 1) * spanMs + afterMs;
  const next = Array.from({ length: 5 }, (_, at) => new Date(firstMs + at * spanMs).toISOString());
  return { id: 'triggers[0]', type: 'schedule', cron, timezone, next };
}

const CHANNELS = [
  {
    order: {
      channel_type: 'telegram',
      name: 'Shop bot (made up)',
      config: { bot_token: '4711:demonstration-only', approvers: ['1001', '1002'] },
      routing_mode: 'command',
    },
    agents: [
      { agent_name: 'support', is_default: true, command: 'help' },
      { agent_name: 'cashier', is_default: false, command: 'pay' },
    ],
  },
  {
    order: {
      channel_type: 'slack',
      name: 'Operations (made up)',
      config: { bot_token: 'xoxb-demonstration-only', signing_secret: 'demonstration-only' },
      session_mode: 'per_user',
    },
    agents: [{ agent_name: 'release', is_default: true }],
  },
];

function expect(answer, status) {
  if (answer.status === status) return answer;
  throw new Error(`The server answered ${answer.status} instead of ${status}: ${answer.text.slice(0, 300)}`);
}
