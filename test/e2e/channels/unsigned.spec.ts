import {
  CHANNELS,
  createChannel,
  createReadyChannel,
  messagesOf,
  telegramOrder,
  type MessageRecord,
} from '../../support/channels.js';
import { problemOf } from '../../support/problem.js';
import { ok } from '../../support/recording.js';
import { TELEGRAM_RECEIVER, textUpdate } from '../../support/telegram-updates.js';
import { useServer } from '../../support/test-server.js';

// Its channel must be the server's only one.
const server = useServer();

describe('A channel whose webhook was never set up', () => {
  const UNSIGNED = { token: null };
  const send = (text: string, id?: number) => server.api.post(TELEGRAM_RECEIVER, textUpdate(text, {}, id), UNSIGNED);

  it('takes updates without proof for its own where it is the only one, shows them and works nothing off', async () => {
    const { id } = await createReadyChannel(server.api, telegramOrder());
    ok(await send('who is there?', 77_001));
    const rows = await messagesOf(server.api, id);
    expect(rows).toMatchObject([
      { status: 'dropped', text: 'who is there?', reason: expect.stringMatching(/^unproven/) },
    ]);
    expect(rows[0]!.thread_id).toBeNull();
    const code = (await server.api.post(`${CHANNELS}/${id}/verification-code`)).json().verification_code;
    ok(await send(String(code)));
    expect((await server.api.get(`${CHANNELS}/${id}`)).json()).toMatchObject({ verified: true });
    expect((await messagesOf(server.api, id)).every(({ status }) => status === 'dropped')).toBe(true);
    problemOf(await server.api.post(TELEGRAM_RECEIVER, 'junk', UNSIGNED), 401);
    await server.api.delete(`${CHANNELS}/${id}`);
  });

  it('is not guessed where there are two', async () => {
    const ids = [
      (await createChannel(server.api, telegramOrder())).id,
      (await createChannel(server.api, telegramOrder())).id,
    ];
    problemOf(await send('who is meant?'), 401);
    for (const id of ids) expect(await messagesOf(server.api, id)).toEqual([]);
    for (const id of ids) await server.api.delete(`${CHANNELS}/${id}`);
  });

  it('works them off where its config says so', async () => {
    const order = telegramOrder();
    Object.assign(order.config as object, { allow_unsigned: true });
    const { id } = await createReadyChannel(server.api, order);
    ok(await send('local experiment'));
    const [row] = await messagesOf(server.api, id);
    expect(row).toMatchObject({ text: 'local experiment', agent_name: 'support', status: 'received' });
    await server.api.delete(`${CHANNELS}/${id}`);
  });

  it('takes nothing from a web page, which can send without being asked, trusted or not', async () => {
    for (const isTrusted of [true, false]) {
      const order = telegramOrder();
      if (isTrusted) Object.assign(order.config as object, { allow_unsigned: true });
      const { id } = await createReadyChannel(server.api, order);
      const sent = (headers: Record<string, string>) =>
        server.api.post(TELEGRAM_RECEIVER, textUpdate('from a page'), { token: null, headers });
      const pages: Record<string, string>[] = [
        { origin: 'https://evil.example', 'content-type': 'text/plain' },
        { origin: 'null' },
        { origin: server.api.baseUrl },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-origin' },
      ];
      for (const page of pages) expect(problemOf(await sent(page), 403).code).toBe('origin_not_allowed');
      expect(await messagesOf(server.api, id)).toEqual([]);
      ok(await sent({ 'sec-fetch-site': 'none' }));
      expect(await messagesOf(server.api, id)).toHaveLength(1);
      await server.api.delete(`${CHANNELS}/${id}`);
    }
  });

  it('does not parse what no person writes', async () => {
    const { id } = await createReadyChannel(server.api, telegramOrder());
    const many = JSON.stringify({ ...textUpdate('many'), more: Array.from({ length: 20_000 }, () => ({})) });
    problemOf(await server.api.post(TELEGRAM_RECEIVER, many, UNSIGNED), 401);
    ok(await send('x'.repeat(3_000_000)));
    expect(await messagesOf(server.api, id)).toHaveLength(1);
    await server.api.delete(`${CHANNELS}/${id}`);
  });

  it('keeps only the newest of what anybody can send', async () => {
    const { id } = await createReadyChannel(server.api, telegramOrder());
    await Promise.all(Array.from({ length: 260 }, (_, i) => send(`${i} ${'long '.repeat(100)}`)));
    const first = await server.api.get(`${CHANNELS}/${id}/messages?count=true&limit=1`);
    const { total, items } = first.json<{ total: number; items: MessageRecord[] }>();
    expect(total).toBe(200);
    expect(items[0]!.text).toHaveLength(200);
    await server.api.delete(`${CHANNELS}/${id}`);
  });
});
