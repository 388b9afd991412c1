import { Database } from '../../../src/database/database.js';
import {
  CHANNELS,
  createChannel,
  createReadyChannel,
  messagesOf,
  telegramOrder,
  verify,
} from '../../support/channels.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { MovableClock } from '../../support/movable-clock.js';
import { problemOf } from '../../support/problem.js';
import { ok } from '../../support/recording.js';
import { TELEGRAM_RECEIVER, textUpdate } from '../../support/telegram-updates.js';
import { waitFor } from '../../support/wait.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const clock = new MovableClock();
let server: InProcessApp;

beforeAll(async () => {
  server = await startApp({ clock, env: { WAYSTATION_RETENTION_INTERVAL_SECONDS: '1' } });
});
afterAll(() => server.stop());

describe('A verification code', () => {
  it('ends to count after 15 minutes', async () => {
    const [late, inTime] = [
      await createChannel(server.api, telegramOrder()),
      await createChannel(server.api, telegramOrder()),
    ];
    clock.aheadMs += 14 * MINUTE_MS;
    ok(await verify(server.api, inTime.id, inTime.verification_code));
    clock.aheadMs += MINUTE_MS;
    problemOf(await verify(server.api, late.id, late.verification_code), 400);
    for (const { id } of [late, inTime]) await server.api.delete(`${CHANNELS}/${id}`);
  });
});

describe('Addresses that send requests without proof', () => {
  it('are in favour again after a minute', async () => {
    const forged = async () => (await server.api.post(TELEGRAM_RECEIVER, 'x', { token: null })).status;
    await waitFor('too many', async () => (await forged()) === 429);
    clock.aheadMs += MINUTE_MS;
    expect(await forged()).toBe(401);
  });
});

describe('The message log', () => {
  it('forgets what was ended 30 days ago, and nothing that waits; a message is known again for as long', async () => {
    const order = telegramOrder();
    Object.assign(order.config as object, { allow_unsigned: true });
    const { id } = await createReadyChannel(server.api, order);
    const database = server.app.get(Database, { strict: false });
    const send = async (update: object) => ok(await server.api.post(TELEGRAM_RECEIVER, update, { token: null }));
    const [waiting, ended, dropped] = [textUpdate('waiting'), textUpdate('ended'), textUpdate(' ')];
    const [front, back] = ['front', 'back'].map((caption) =>
      textUpdate('', {
        text: undefined,
        caption,
        media_group_id: 'A',
        photo: [{ file_id: caption, width: 1, height: 1 }],
      }),
    );
    for (const update of [waiting, ended, dropped, front!, back!]) await send(update);
    // Simulates the end of the agent's run; the others wait as if behind a run that takes that long.
    await database.transaction(async (session) => {
      await session.query("UPDATE channel_message SET status = 'done' WHERE channel_id = $1 AND text = 'ended'", [id]);
      await session.query(
        "UPDATE channel_session SET lease_owner = 'a long run', lease_until = 9000000000000 WHERE channel_id = $1",
        [id],
      );
    });
    clock.aheadMs += 29 * DAY_MS;
    await send(ended);
    await send(textUpdate('young'));
    // Inbound messages only: the agent is offline, and the chat is told so after two attempts.
    const texts = async () => (await messagesOf(server.api, id, { direction: 'in' })).map(({ text }) => text);
    expect(await texts()).toEqual(['waiting', 'ended', ' ', 'front', 'back', 'young']);
    clock.aheadMs += 2 * DAY_MS;
    await waitFor('the old ones to go', async () => (await texts()).join() === 'waiting,front,back,young');
    await server.api.delete(`${CHANNELS}/${id}`);
  });

  it('forgets what is old behind messages that were taken in while the clock was ahead', async () => {
    const order = telegramOrder();
    Object.assign(order.config as object, { allow_unsigned: true });
    const { id } = await createReadyChannel(server.api, order);
    const database = server.app.get(Database, { strict: false });
    const send = async (text: string) =>
      ok(await server.api.post(TELEGRAM_RECEIVER, textUpdate(text), { token: null }));
    const ofTheFuture = Array.from({ length: 500 }, (_, at) => `ahead ${at}`);
    while (ofTheFuture.length > 0) await Promise.all(ofTheFuture.splice(0, 50).map(send));
    await send('old');
    await database.transaction(async (session) => {
      await session.query("UPDATE channel_message SET status = 'done' WHERE channel_id = $1", [id]);
      await session.query("UPDATE channel_message SET created_at = $1 WHERE channel_id = $2 AND text <> 'old'", [
        clock.nowMs() + 300 * DAY_MS,
        id,
      ]);
    });
    clock.aheadMs += 31 * DAY_MS;
    await waitFor('the old one to go', async () =>
      (await messagesOf(server.api, id)).every(({ text }) => text !== 'old'),
    );
    expect(await messagesOf(server.api, id)).toHaveLength(200); // a page of what is kept
  });
});
