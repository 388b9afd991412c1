import {
  bind,
  channelOf,
  CHANNELS,
  createChannel,
  newBotToken,
  patch,
  putConfig,
  telegramOrder,
  type ChannelRecord,
} from '../../support/channels.js';
import { problemOf } from '../../support/problem.js';
import { ok, type Page } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();
const WHATSAPP = { access_token: 'EAAG-token', app_secret: 'app-secret', verify_token: 'verify-me' };

describe('A channel', () => {
  it('is created with its defaults and a code, and shown without its secrets', async () => {
    const bot_token = newBotToken();
    const answer = await server.api.post(CHANNELS, telegramOrder({ config: { bot_token, approvers: ['7', '8'] } }));
    expect(answer.status).toBe(201);
    expect(answer.text).not.toContain(bot_token);
    const { verification_code, verification_expires_at, ...channel } = answer.json<Record<string, string>>();
    expect(verification_code).toMatch(/^\d{6}$/);
    const lastsMs = Date.parse(verification_expires_at!) - Date.parse(channel.created_at!);
    expect(lastsMs).toBe(15 * 60_000);
    const shown = { transport: 'webhook', allow_unsigned: false, approvers: ['7', '8'] };
    expect(channel).toEqual({
      ...{ id: expect.any(String), channel_type: 'telegram', name: 'Support bot' },
      ...{
        config: { ...shown, verification_code },
        secret_fields: ['bot_token'],
      },
      ...{ session_mode: 'per_chat', routing_mode: 'single', enabled: true, verified: false, webhook_url: null },
      fault: null,
      ...{ agents: [], created_at: expect.stringMatching(/Z$/), updated_at: expect.stringMatching(/Z$/) },
    });
    expect(await channelOf(server.api, channel.id!)).toEqual({ ...channel, config: shown });
  });

  it.each([
    ['whatsapp', { ...WHATSAPP, phone_number_id: '106540352242922', waba_id: '77' }],
    ['slack', { bot_token: 'xoxb-1', signing_secret: 'signing' }],
  ])('may be of %s', async (channel_type, config) => {
    const created = await createChannel(server.api, { channel_type, name: 'x', config });
    expect(created).toMatchObject({ channel_type, verified: false });
    expect(JSON.stringify(created)).not.toMatch(/EAAG-token|app-secret|verify-me|xoxb-1|"signing"/);
  });

  it('owns its bot: a second channel with it is a conflict, also with another token of the bot', async () => {
    const token = newBotToken();
    await createChannel(server.api, telegramOrder({ config: { bot_token: token } }));
    const again = telegramOrder({ config: { bot_token: `${token.split(':')[0]}:another` } });
    expect(problemOf(await server.api.post(CHANNELS, again), 409).code).toBe('account_taken');
  });

  it('of racing creations with one bot exactly one is there', async () => {
    const order = telegramOrder();
    const answers = await Promise.all(Array.from({ length: 12 }, () => server.api.post(CHANNELS, order)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(11).fill(409)]);
  });

  it('is removed with everything under it, and its bot is free again', async () => {
    const order = telegramOrder();
    const { id } = await createChannel(server.api, order);
    await bind(server.api, id, { agent_name: 'support' });
    expect((await server.api.delete(`${CHANNELS}/${id}`)).status).toBe(204);
    problemOf(await server.api.get(`${CHANNELS}/${id}`), 404);
    problemOf(await server.api.delete(`${CHANNELS}/${id}`), 404);
    problemOf(await server.api.get(`${CHANNELS}/${id}/messages`), 404);
    expect((await createChannel(server.api, order)).agents).toEqual([]);
  });

  it.each([
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['PUT', '/config'],
    ['POST', '/agents'],
    ['DELETE', '/agents/support'],
    ['POST', '/verify'],
    ['POST', '/verification-code'],
    ['POST', '/setup-webhook'],
    ['GET', '/messages'],
  ])('that nobody knows is a 404: %s %s', async (method, rest) => {
    const body = {
      config: { bot_token: newBotToken() },
      agent_name: 'a',
      code: '123456',
      base_url: 'https://x.example',
    };
    const of: Record<string, string[]> = { '/config': ['config'], '/agents': ['agent_name'], '/verify': ['code'] };
    const members = of[rest] ?? (rest === '/setup-webhook' ? ['base_url'] : []);
    const own = Object.fromEntries(Object.entries(body).filter(([name]) => members.includes(name)));
    for (const id of ['0b6f9e3a-6a3c-4a58-9a0b-5d2f0c1f7e11', 'a%00b', '%F0%9F%98%80', "'--", 'x'.repeat(3000)]) {
      const sent = method === 'GET' || method === 'DELETE' ? undefined : own;
      const { code } = problemOf(await server.api.send(method, `${CHANNELS}/${id}${rest}`, sent), 404);
      expect(code).toBe('channel_not_found');
    }
  });
});

describe('The list of channels', () => {
  it('has every channel once, the newest first, page by page', async () => {
    const made: string[] = [];
    for (let i = 0; i < 5; i++) made.push((await createChannel(server.api, telegramOrder({ name: `list ${i}` }))).id);
    await bind(server.api, made[4]!, { agent_name: 'support' });
    const seen: ChannelRecord[] = [];
    for (let cursor = ''; ;) {
      const page = ok(await server.api.get(`${CHANNELS}?limit=2&count=true${cursor}`)).json<Page<ChannelRecord>>();
      seen.push(...page.items);
      expect(page.total).toBeGreaterThanOrEqual(5);
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(seen.map(({ id }) => id).slice(0, 5)).toEqual(made.reverse());
    expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
    expect(seen[0]!.agents).toEqual([{ agent_name: 'support', is_default: true, command: null }]);
  });

  it.each(['limit=0', 'limit=201', 'limit=x', 'cursor=x', 'count=yes'])('refuses %s', async (query) => {
    problemOf(await server.api.get(`${CHANNELS}?${query}`), 400);
  });

  it.each([[['channels', 1.5, 'x']], [['channels', 1e300, 'x']], [['tokens', 1, 'x']], [['channels', '1', 'x']]])(
    'refuses the made-up cursor %j',
    async (parts) => {
      const cursor = Buffer.from(JSON.stringify(parts)).toString('base64url');
      problemOf(await server.api.get(`${CHANNELS}?cursor=${cursor}`), 400);
    },
  );
});

describe('A patch', () => {
  it('changes exactly what it lists', async () => {
    const created = await createChannel(server.api, telegramOrder());
    const before = await channelOf(server.api, created.id);
    const changes = [
      { name: 'Renamed' },
      { session_mode: 'per_user' },
      { routing_mode: 'command' },
      { enabled: false },
      { name: 'All', session_mode: 'per_message', routing_mode: 'single', enabled: true },
    ];
    let expected = before;
    for (const change of changes) {
      const after = ok(await patch(server.api, created.id, change)).json<ChannelRecord>();
      expected = { ...expected, ...change, updated_at: after.updated_at };
      expect(after).toEqual(expected);
      expect(after.updated_at >= before.updated_at).toBe(true);
    }
    expect(ok(await patch(server.api, created.id, {})).json()).toEqual(expected);
  });

  it.each([
    ['name', null],
    ['name', ''],
    ['name', 7],
    ['name', 'x'.repeat(201)],
    ['name', 'a\u0000b'],
    ['name', 'half of 😀: \ud83d'],
    ['session_mode', null],
    ['session_mode', 'per_galaxy'],
    ['session_mode', ['per_chat']],
    ['routing_mode', null],
    ['routing_mode', 'both'],
    ['enabled', null],
    ['enabled', 'true'],
    ['enabled', 1],
    ['verified', true],
    ['config', { bot_token: '1:a' }],
    ['channel_type', 'slack'],
    ['id', 'other'],
    ['colour', 'red'],
    ['toPatch', true],
    ['toString', 'x'],
    ['constructor', { name: 'x' }],
  ])('with %s = %j is refused and changes nothing', async (name, value) => {
    const { id } = await createChannel(server.api, telegramOrder());
    const before = await channelOf(server.api, id);
    const problem = problemOf(await patch(server.api, id, { name: 'Changed', [name]: value }), 400);
    expect(JSON.stringify(problem.errors)).toContain(name);
    expect(await channelOf(server.api, id)).toEqual(before);
  });
});

describe('A creation', () => {
  it.each([
    ['channel_type', { channel_type: 'discord' }],
    ['channel_type', { channel_type: undefined }],
    ['channel_type', { channel_type: ['telegram'] }],
    ['channel_type', { channel_type: '__proto__' }],
    ['name', { name: undefined }],
    ['name', { name: null }],
    ['name', { name: '' }],
    ['name', { name: ['x'] }],
    ['config', { config: undefined }],
    ['config', { config: null }],
    ['config', { config: 'token' }],
    ['config', { config: [] }],
    ['config.bot_token', { config: {} }],
    ['config.bot_token', { config: { bot_token: '' } }],
    ['config.bot_token', { config: { bot_token: 'no-digits:rest' } }],
    ['config.bot_token', { config: { bot_token: 7 } }],
    ['config.bot_token', { config: { bot_token: null } }],
    ['config.bot_token', { config: { bot_token: `1:${'x'.repeat(600)}` } }],
    ['config.transport', { config: { bot_token: '1:a', transport: 'pigeon' } }],
    ['config', { config: { bot_token: '1:a', 'no colour': 'red' } }],
    ['config.approvers', { config: { bot_token: '1:a', approvers: '7' } }],
    ['config.approvers', { config: { bot_token: '1:a', approvers: [7] } }],
    ['session_mode', { session_mode: 'per_galaxy' }],
    ['session_mode', { session_mode: null }],
    ['routing_mode', { routing_mode: '' }],
    ['verified', { verified: true }],
    ['config.phone_number_id', { channel_type: 'whatsapp', config: { ...WHATSAPP } }],
    ['config.phone_number_id', { channel_type: 'whatsapp', config: { ...WHATSAPP, phone_number_id: 'abc' } }],
    ['config.app_secret', { channel_type: 'whatsapp', config: { ...WHATSAPP, phone_number_id: '1', app_secret: '' } }],
    ['config.signing_secret', { channel_type: 'slack', config: { bot_token: 'xoxb-2' } }],
  ])('with a bad %s (%#) is refused by name and never shows a value', async (path, fault) => {
    const problem = problemOf(await server.api.post(CHANNELS, telegramOrder(fault)), 400);
    expect(problem.errors?.map((error) => error.path)).toContain(path);
    expect(JSON.stringify(problem)).not.toMatch(/AAF-secret|no-digits|EAAG-token/);
  });

  it.each(['', '[]', 'null', '"x"', '7', '{', '{"channel_type":"telegram"'])(
    'with the body %j is a 400',
    async (body) => {
      problemOf(await server.api.post(CHANNELS, body), 400);
    },
  );

  it('with nesting of 100,000 levels is a 400', async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    for (const body of [`{"config":{"bot_token":${deep}}}`, `{"name":${deep}}`, deep, `{"config":${deep}}`]) {
      problemOf(await server.api.post(CHANNELS, body), 400);
    }
  });
});

describe('New secrets', () => {
  it('take the place of the old ones, and everything else stays', async () => {
    const token = newBotToken();
    const { id } = await createChannel(server.api, telegramOrder({ config: { bot_token: token, approvers: ['7'] } }));
    await bind(server.api, id, { agent_name: 'support', command: 'help' });
    const before = await channelOf(server.api, id);
    const config = { bot_token: `${token.split(':')[0]}:rotated`, transport: 'polling' };
    const after = ok(await putConfig(server.api, id, config)).json<ChannelRecord>();
    expect(after).toEqual({
      ...before,
      ...{ config: { transport: 'polling', allow_unsigned: false }, updated_at: after.updated_at },
    });
  });

  it('of another account that has a channel are a conflict, and change nothing', async () => {
    const taken = newBotToken();
    await createChannel(server.api, telegramOrder({ config: { bot_token: taken } }));
    const { id } = await createChannel(server.api, telegramOrder());
    const before = await channelOf(server.api, id);
    expect(problemOf(await putConfig(server.api, id, { bot_token: taken }), 409).code).toBe('account_taken');
    problemOf(await putConfig(server.api, id, {}), 400);
    problemOf(await server.api.send('PUT', `${CHANNELS}/${id}/config`, { bot_token: newBotToken() }), 400);
    expect(await channelOf(server.api, id)).toEqual(before);
  });
});

describe('The routes of channels', () => {
  it.each(['runner', 'approver'])('are closed to a token of scope %s', async (scope) => {
    const { id } = await createChannel(server.api, telegramOrder());
    const { token } = (await server.api.post('/v1/tokens', { scope })).json<{ token: string }>();
    const api = server.api.as(token);
    const calls: [string, string][] = [
      ['GET', CHANNELS],
      ['POST', CHANNELS],
      ['GET', `${CHANNELS}/${id}`],
      ['PATCH', `${CHANNELS}/${id}`],
      ['DELETE', `${CHANNELS}/${id}`],
      ['PUT', `${CHANNELS}/${id}/config`],
      ['POST', `${CHANNELS}/${id}/agents`],
      ['DELETE', `${CHANNELS}/${id}/agents/x`],
      ['POST', `${CHANNELS}/${id}/verify`],
      ['POST', `${CHANNELS}/${id}/verification-code`],
      ['POST', `${CHANNELS}/${id}/setup-webhook`],
      ['GET', `${CHANNELS}/${id}/messages`],
    ];
    for (const [method, path] of calls) {
      expect(problemOf(await api.send(method, path), 403).code).toBe('wrong_scope');
      problemOf(await api.send(method, path, undefined, { token: null }), 401);
    }
    expect((await channelOf(server.api, id)).verified).toBe(false);
  });
});
