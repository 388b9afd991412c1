import sqlite3 from 'sqlite3';
import type { ApiClient } from '../../support/api-client.js';
import {
  CHANNELS,
  createChannel,
  createReadyChannel,
  messagesOf,
  otherCode,
  telegramOrder,
  verify,
} from '../../support/channels.js';
import { problemOf } from '../../support/problem.js';
import { ok } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { freshStorage, siblingHome, withPostgres, type TestStorage } from '../../support/storage.js';
import { TELEGRAM_RECEIVER, textUpdate } from '../../support/telegram-updates.js';

let storage: TestStorage;
let server: ServerProcess;
let second: ServerProcess | undefined;

beforeAll(async () => {
  storage = await freshStorage();
  server = await ServerProcess.start(storage);
});
afterEach(async () => {
  await second?.stop();
  second = undefined;
});
afterAll(async () => {
  await server?.stop();
  await storage?.dispose();
});

/** Without a webhook set up, so no platform is needed. */
async function openChannel(): Promise<string> {
  const order = telegramOrder();
  Object.assign(order.config as object, { allow_unsigned: true });
  return (await createReadyChannel(server.api, order)).id;
}

const deliver = (update: object, api: ApiClient = server.api) => api.post(TELEGRAM_RECEIVER, update, { token: null });

/** Nobody else can write messages while `work` runs. */
async function withLockedStorage(work: () => Promise<void>): Promise<void> {
  if (storage.databaseUrl !== null) {
    return withPostgres(storage.databaseUrl, async (client) => {
      await client.query('BEGIN; LOCK TABLE channel_message IN EXCLUSIVE MODE');
      await work(); // the end of the connection ends the transaction
    });
  }
  const database = new sqlite3.Database(storage.sqlitePath);
  const run = (sql: string) =>
    new Promise<void>((resolve, reject) => database.exec(sql, (e) => (e ? reject(e) : resolve())));
  await run('BEGIN IMMEDIATE');
  try {
    await work();
  } finally {
    await run('ROLLBACK');
    await new Promise((resolve) => database.close(resolve));
  }
}

describe('The receiver', () => {
  it('lets the platform deliver again where nothing can be stored', async () => {
    const id = await openChannel();
    const update = textUpdate('in vain at first');
    await withLockedStorage(async () => {
      const answer = await deliver(update);
      problemOf(answer, 503);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    });
    ok(await deliver(update));
    expect((await messagesOf(server.api, id, { direction: 'in' })).map(({ text }) => text)).toEqual([
      'in vain at first',
    ]);
    await server.api.delete(`${CHANNELS}/${id}`);
  });

  it('loses nothing that it acknowledged, and stores nothing twice, when it is killed again and again', async () => {
    const id = await openChannel();
    const updates = Array.from({ length: 600 }, (_, i) =>
      textUpdate(`k${i}`, { chat: { id: 5000 + (i % 9), type: 'private' } }),
    );
    const acknowledged = new Set<string>();
    for (let round = 0; round < 3; round++) {
      let answered = 0;
      const sent = updates.map(async (update) => {
        const answer = await deliver(update).catch(() => null);
        if (answer?.status !== 200) return;
        acknowledged.add(update.message.text);
        if (++answered === 40 + round * 60) server.signal('SIGKILL');
      });
      await Promise.all(sent);
      await server.kill();
      server = await ServerProcess.start(storage);
      const stored: string[] = [];
      for (let cursor = ''; ;) {
        const path = `${CHANNELS}/${id}/messages?limit=200${cursor}`;
        const page = ok(await server.api.get(path)).json<{
          items: { text: string; direction: string }[];
          next_cursor: string | null;
        }>();
        stored.push(...page.items.filter(({ direction }) => direction === 'in').map(({ text }) => text));
        if (page.next_cursor === null) break;
        cursor = `&cursor=${page.next_cursor}`;
      }
      expect(new Set(stored).size).toBe(stored.length);
      expect([...acknowledged].filter((text) => !stored.includes(text))).toEqual([]);
    }
    await server.api.delete(`${CHANNELS}/${id}`);
  });

  it('of two instances on one database stores what both get once, and counts every try at a code', async () => {
    if (storage.databaseUrl === null) {
      second = ServerProcess.spawn(storage);
      expect(await second.exit()).toBe(1);
      return;
    }
    const other = (second = await ServerProcess.start(storage, {
      env: { WAYSTATION_HOME: await siblingHome(storage) },
    }));
    const id = await openChannel();
    const updates = Array.from({ length: 200 }, (_, i) => textUpdate(`both ${i}`));
    const twice = updates.flatMap((update) => [deliver(update), deliver(update, other.api)]);
    expect((await Promise.all(twice)).every(({ status }) => status === 200)).toBe(true);
    const { total } = (await server.api.get(`${CHANNELS}/${id}/messages?direction=in&count=true`)).json<{
      total: number;
    }>();
    expect(total).toBe(200);
    await server.api.delete(`${CHANNELS}/${id}`);

    const channel = await createChannel(server.api, telegramOrder());
    const wrong = otherCode(channel.verification_code);
    const tries = Array.from({ length: 16 }, (_, i) => verify(i % 2 ? server.api : other.api, channel.id, wrong));
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 400)).toHaveLength(5);
  });
});
