import { checkpoint } from '../../factories/events.js';
import { createChannel, telegramOrder } from '../../support/channels.js';
import { problemOf } from '../../support/problem.js';
import { record } from '../../support/recording.js';
import { putState } from '../../support/states.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

/** Percent-encoded, as in an address. */
const VALUES = [
  ...['%00', 'a%00b', '%0A', '%7F', '%FF', '%ED%A0%80', '%F0%9F%98%80', '%27%20OR%201=1--', '%22', '%5C', '%25', '_'],
  ...['', '.', '-0', '1e400', '99999999999999999999', '[]', '{}', 'null', 'undefined', 'x'.repeat(8000)],
];

const PATHS = [
  '/threads/VALUE',
  '/threads/VALUE/checkpoints',
  '/threads/VALUE/steps',
  '/threads/VALUE/messages',
  '/threads/VALUE/stream',
  '/v1/runners/threads/VALUE/latest',
  ...['trace_id', 'agent_id', 'resume', 'wait'].map((name) => `/v1/runners/threads/known/latest?${name}=VALUE`),
  ...['prefix', 'limit', 'cursor'].map((name) => `/v1/runners/threads?${name}=VALUE`),
  ...['limit', 'cursor'].map((name) => `/v1/runners/threads/known/runs?${name}=VALUE`),
  '/v1/runners/threads/VALUE/runs',
  ...['trace_id', 'agent_id', 'history', 'limit', 'cursor'].map((name) => `/threads/known/checkpoints?${name}=VALUE`),
  ...['trace_id', 'limit', 'cursor'].map((name) => `/threads/known/steps?${name}=VALUE`),
  ...['history', 'history_meta'].map((name) => `/threads/known/messages?${name}=VALUE`),
  ...['q', 'status', 'agent_id', 'model', 'since', 'until', 'sort', 'order', 'limit', 'cursor', 'count', 'include'].map(
    (name) => `/threads?${name}=VALUE`,
  ),
  ...['trace_id', 'trace_id_prefix'].map((name) => `/threads?${name}=VALUE`),
  '/threads?status=VALUE&status=VALUE',
  '/threads?status[]=VALUE',
  '/threads?q[x]=VALUE',
  '/threads?limit=1&limit=VALUE',
  '/v1/tokens/VALUE',
  '/v1/channels/VALUE',
  '/v1/channels/VALUE/messages',
  ...['limit', 'cursor', 'count'].map((name) => `/v1/channels?${name}=VALUE`),
  ...['limit', 'cursor', 'count', 'direction', 'status'].map((name) => `/v1/channels/CHANNEL/messages?${name}=VALUE`),
  '/v1/channels/webhook/VALUE',
  ...['hub.mode', 'hub.verify_token', 'hub.challenge'].map((name) => `/v1/channels/webhook/whatsapp?${name}=VALUE`),
];

let channelId: string;

beforeAll(async () => {
  await record(server.api, checkpoint('known', 0));
  channelId = (await createChannel(server.api, telegramOrder())).id;
});

/** Parameters with an empty value, as forms and clients send them. */
const FILTERS = PATHS.filter((path) => /\?\w+=VALUE$/.test(path)).map((path) => path.replace('VALUE', ''));

describe('A parameter without a value', () => {
  it.each(FILTERS)('in GET %s is as good as none', async (path) => {
    const target = path.replace('CHANNEL', channelId);
    const [empty, without] = [await server.api.get(target), await server.api.get(target.replace(/\?.*/, ''))];
    expect([empty.status, empty.text]).toEqual([without.status, without.text]);
    expect(empty.status).toBe(200);
  });

  it('is one of several values that counts for nothing', async () => {
    const [some, one] = [
      await server.api.get('/threads?status=&status=completed'),
      await server.api.get('/threads?status=completed'),
    ];
    expect(some.text).toBe(one.text);
  });

  it('names nobody where something is deleted', async () => {
    await putState(server.api, 'known', 'c1', {});
    expect((await server.api.delete('/v1/runners/threads/known/state?agent_id=')).status).toBeLessThan(500);
    expect((await server.api.get('/v1/runners/state?thread_id=known')).json()).toMatchObject({
      items: [{ checkpoint_id: 'c1' }],
    });
  });
});

describe('Whatever stands in an address', () => {
  it.each(PATHS)('GET %s is an answer or a refusal, never an internal error', async (path) => {
    const surprises: string[] = [];
    for (const value of VALUES) {
      const answer = await server.api.get(path.replace('CHANNEL', channelId).replaceAll('VALUE', value));
      if (answer.status >= 400 && answer.status < 500) problemOf(answer, answer.status);
      else if (answer.status !== 200) surprises.push(`${value.slice(0, 30)}: ${answer.status}`);
    }
    expect(surprises).toEqual([]);
  });
});

describe('A cursor that somebody made up', () => {
  const PARTS = [1.5, 2 ** 31, 1e300, -1, 'text', 'a\0b', '\ud800', null, true, [1], {}];
  const LISTS = [
    ['/threads', 'threads:updated_at:desc', 2],
    ['/threads?sort=total_cost_usd', 'threads:total_cost_usd:desc', 2],
    ['/threads/known/checkpoints', 'checkpoints', 3],
    ['/threads/known/steps', 'checkpoints', 3],
    ['/v1/runners/threads', 'own threads', 1],
    ['/v1/runners/threads/known/runs', 'own runs', 1],
    ['/approvals', 'approvals', 3],
    ['/v1/tokens', 'tokens', 2],
    ['/v1/agents', 'agents', 1],
    ['/v1/channels', 'channels', 2],
    ['/v1/channels/CHANNEL/messages', 'channel messages', 1],
  ] as const;

  it.each(LISTS)('for %s is an answer or a refusal, never an internal error', async (path, scope, length) => {
    const surprises: string[] = [];
    for (const part of PARTS) {
      const key = Array.from({ length }, (_, at) => (at === 0 ? 1 : part));
      for (const made of [key, key.toReversed(), Array.from({ length }, () => part)]) {
        const cursor = Buffer.from(JSON.stringify([scope, ...made])).toString('base64url');
        const joint = path.includes('?') ? '&' : '?';
        const answer = await server.api.get(`${path.replace('CHANNEL', channelId)}${joint}cursor=${cursor}`);
        if (answer.status === 400) expect(problemOf(answer, 400).errors?.[0]?.path).toBe('cursor');
        else if (answer.status !== 200) surprises.push(`${JSON.stringify(made)}: ${answer.status}`);
      }
    }
    expect(surprises).toEqual([]);
  });
});
