import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { claudeAsks } from '../../factories/hook-inputs.js';
import { approvalsOf } from '../../support/approvals.js';
import {
  bind,
  CHANNELS,
  createChannel,
  messagesOf,
  newBotToken,
  putConfig,
  telegramOrder,
  verify,
} from '../../support/channels.js';
import { startHook } from '../../support/hook-process.js';
import { problemOf } from '../../support/problem.js';
import { pulseOf } from '../../support/pulse.js';
import { ok } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { freshStorage, type TestStorage } from '../../support/storage.js';
import { TELEGRAM_RECEIVER, textUpdate } from '../../support/telegram-updates.js';
import { TelegramWorld } from '../../support/telegram-world.js';
import { waitFor } from '../../support/wait.js';

const BOSS = 7;
const STRANGER = 8;

let world: TelegramWorld;
let storage: TestStorage;
let server: ServerProcess;

beforeAll(async () => {
  world = await TelegramWorld.start();
  storage = await freshStorage();
  server = await ServerProcess.start(storage, { env: world.env });
  await world.connect(server.api, { approvers: [String(BOSS)] });
  for (const person of [BOSS, STRANGER]) {
    world.telegram.write(person, 'hello');
    await waitFor('the message', () => world.agent.runs.some(({ context }) => context.user_id === String(person)));
  }
});
afterAll(async () => {
  await server?.stop();
  await world?.close();
  await storage?.dispose();
});

const post = (input: object, query: string, key: string = randomUUID()) =>
  server.api.post(`/v1/runners/hooks/claude?agent_id=support&${query}`, input, { headers: { 'idempotency-key': key } });

const place = (chat: number = BOSS, channel = world.channelId) => `channel_id=${channel}&chat_id=${chat}`;

async function question(command: string) {
  return waitFor('the question', () =>
    world.telegram.messages.find(({ text, buttons }) => text.includes(command) && buttons.length === 2),
  );
}

function start(command: string, apiUrl = server.api.baseUrl) {
  const flags = ['--agent', 'support', '--channel', world.channelId, '--chat', String(BOSS), '--patience', '60'];
  const env = { WAYSTATION_API_URL: apiUrl, WAYSTATION_TOKEN: server.api.token };
  return startHook(storage, ['claude', ...flags], claudeAsks(command), env);
}

describe('What a coding agent wants to do', () => {
  it('is decided by a button in a chat, which then shows the outcome', async () => {
    const [allowed, denied] = [start('npm publish --one'), start('npm publish --two')];
    for (const [command, label] of [
      ['--one', 'Approve'],
      ['--two', 'Reject'],
    ] as const) {
      const shown = await question(command);
      world.telegram.press(BOSS, shown.messageId, label);
      await waitFor('the outcome', () =>
        /(Approved|Rejected) by User 7/.test(shown.text.replaceAll(/<[^>]*>/g, '').replaceAll('**', '')),
      );
      expect(shown.buttons).toEqual([]);
    }
    expect((await allowed.ended).stdout).toContain('"behavior":"allow"');
    expect((await denied.ended).stdout).toContain('"behavior":"deny","message":"Rejected by telegram:7 (User 7)');
  });

  it('gets there soon after the press', async () => {
    let late = 0;
    for (const command of ['npm soon --one', 'npm soon --two', 'npm soon --three']) {
      const [input, key] = [claudeAsks(command), randomUUID()];
      expect((await post(input, place(), key)).status).toBe(202);
      const answered = post(input, `${place()}&wait=60`, key).then(() => performance.now());
      const shown = await question(command);
      const sinceMs = performance.now();
      world.telegram.press(BOSS, shown.messageId, 'Approve');
      const [pulseMs, atMs] = await Promise.all([pulseOf(server.api), answered]);
      // 50 ms on an idle machine.
      if (atMs - sinceMs >= 2_000 + 5 * pulseMs) late += 1;
    }
    // One may coincide with a pause of the machine.
    expect(late).toBeLessThanOrEqual(1);
  });

  it('is answered in the request that waits: the press wakes it, and the hook asks no more', async () => {
    const asked: string[] = [];
    const proxy = createServer((from, to) => {
      if (from.method === 'POST') asked.push(String(from.url));
      const { method, headers, url } = from;
      const onward = request(`${server.api.baseUrl}${url}`, { method, headers }, (answer) => {
        to.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(to);
      });
      onward.on('error', () => to.destroy());
      to.on('close', () => onward.destroy());
      from.pipe(onward);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    for (const [label, behavior] of [
      ['Approve', 'allow'],
      ['Reject', 'deny'],
    ] as const) {
      asked.length = 0;
      const { ended } = start(`npm woken --${label}`, `http://127.0.0.1:${port}`);
      const shown = await question(`npm woken --${label}`);
      await waitFor('the request that waits', () => asked.length === 2);
      world.telegram.press(BOSS, shown.messageId, label);
      expect((await ended).stdout).toContain(`"behavior":"${behavior}"`);
      expect(asked.map((url) => /wait=(\d+)/.exec(url)![1])).toEqual(['0', '20']);
    }
    proxy.closeAllConnections();
    proxy.close();
  });

  it('is asked once in the chat, however often the hook asks again', async () => {
    const [input, key] = [claudeAsks('npm once'), randomUUID()];
    for (let times = 0; times < 3; times++) expect((await post(input, place(), key)).status).toBe(202);
    await question('npm once');
    const asked = world.telegram.messages.filter(({ text }) => text.includes('npm once'));
    expect(asked).toHaveLength(1);
  });

  it('is asked again where the connection broke meanwhile, and the button of either question decides', async () => {
    const [input, key] = [claudeAsks('npm lost'), randomUUID()];
    const asked = () => world.telegram.messages.filter(({ text }) => text.includes('npm lost'));
    world.telegram.failNext('sendMessage', 'break-after');
    expect((await post(input, place(), key)).status).toBe(202);
    const answered = post(input, `${place()}&wait=60`, key);
    await waitFor('the question, twice', () => asked().length === 2);
    world.telegram.press(BOSS, asked()[0]!.messageId, 'Approve');
    expect((await answered).text).toContain('"behavior":"allow"');
    await waitFor('the outcome in both', () => asked().every(({ text }) => text.includes('by User 7')));
  });

  it('is not decided by a stranger', async () => {
    const input = claudeAsks('npm strange');
    await post(input, place());
    const shown = await question('npm strange');
    world.telegram.press(STRANGER, shown.messageId, 'Approve');
    await waitFor('the answer', () =>
      world.telegram.pressAnswers.some(({ text }) => text === 'You may not decide this.'),
    );
    expect(await approvalsOf(server.api, `claude:${String(input.session_id)}`)).toHaveLength(1);
  });

  it('goes to no chat in which an approver has not written, whoever pretends so, nor while the channel is not verified', async () => {
    const order = telegramOrder({ config: { bot_token: newBotToken(), approvers: [String(BOSS)] } });
    const { id, verification_code: code } = await createChannel(server.api, order);
    expect((await bind(server.api, id, { agent_name: 'support' })).status).toBe(201);
    const refused = async () => problemOf(await post(claudeAsks('npm forged'), place(BOSS, id)), 403).code;
    const write = async (text: string) =>
      ok(await server.api.post(TELEGRAM_RECEIVER, textUpdate(text), { token: null }));
    await write('I am the boss');
    expect(await messagesOf(server.api, id)).toMatchObject([{ user_id: String(BOSS), status: 'dropped' }]);
    expect(await refused()).toBe('chat_not_allowed');
    ok(await verify(server.api, id, code));
    expect(await refused()).toBe('chat_not_allowed');
    ok(await putConfig(server.api, id, { ...(order.config as object), allow_unsigned: true }));
    await write('I am the boss in a test');
    expect((await post(claudeAsks('npm trusted'), place(BOSS, id))).status).toBe(202);
    await server.api.delete(`${CHANNELS}/${id}`);
  });

  it('goes to no chat of others: not of another agent, of a stranger or of a channel that is not there', async () => {
    const before = world.telegram.messages.length;
    const input = claudeAsks('npm leak');
    const refused = [
      server.api.post(`/v1/runners/hooks/claude?agent_id=other&${place()}`, input),
      post(input, place(STRANGER)),
      post(input, place(4711)),
      post(input, place(BOSS, randomUUID())),
    ];
    for (const answer of await Promise.all(refused)) expect(problemOf(answer, 403).code).toBe('chat_not_allowed');
    problemOf(await post(input, `channel_id=${world.channelId}`), 400);
    const made = await server.api.post('/v1/tokens', { scope: 'runner', agent_ids: ['other'] });
    const other = server.api.as(made.json<{ token: string }>().token);
    for (const chat of [BOSS, STRANGER]) {
      const answer = await other.post(`/v1/runners/hooks/claude?agent_id=support&${place(chat)}`, input);
      expect(problemOf(answer, 403).code).toBe('agent_not_allowed');
    }
    expect(await approvalsOf(server.api, `claude:${String(input.session_id)}`)).toEqual([]);
    expect(world.telegram.messages).toHaveLength(before);
  });
});
