import { Database } from '../../../src/database/database.js';
import { createChannel, otherCode, telegramOrder, verify } from '../../support/channels.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { problemOf } from '../../support/problem.js';
import { ok } from '../../support/recording.js';
import { waitFor } from '../../support/wait.js';

let server: InProcessApp;

beforeAll(async () => {
  server = await startApp({ env: { WAYSTATION_RETENTION_INTERVAL_SECONDS: '1' } });
});
afterAll(() => server?.stop());

async function triesOf(channelId: string): Promise<number> {
  const sql = 'SELECT COUNT(*) AS n FROM channel_code_try WHERE channel_id = $1';
  const [row] = await server.app.get(Database).read<{ n: number }>(sql, [channelId]);
  return Number(row!.n);
}

async function triedChannel() {
  const channel = await createChannel(server.api, telegramOrder());
  problemOf(await verify(server.api, channel.id, otherCode(channel.verification_code)), 400);
  expect(await triesOf(channel.id)).toBe(1);
  return channel;
}

describe('What is kept of wrong tries at a code', () => {
  it('goes with a new one, and when the channel is verified', async () => {
    const { id } = await triedChannel();
    const renewed = await server.api.post(`/v1/channels/${id}/verification-code`);
    expect(await triesOf(id)).toBe(0);
    const code = renewed.json<{ verification_code: string }>().verification_code;
    problemOf(await verify(server.api, id, otherCode(code)), 400);
    ok(await verify(server.api, id, code));
    expect(await triesOf(id)).toBe(0);
  });

  it('goes with the channel', async () => {
    const { id } = await triedChannel();
    expect((await server.api.delete(`/v1/channels/${id}`)).status).toBe(204);
    expect(await triesOf(id)).toBe(0);
  });

  it('goes by itself once the code has expired for a day, and not before', async () => {
    const [old, present] = [await triedChannel(), await triedChannel()];
    const expiredMs = Date.now() - 25 * 3600_000;
    await server.app.get(Database).transaction(async (session) => {
      await session.query('UPDATE channel SET code_expires_at = $1 WHERE id = $2', [expiredMs, old.id]);
    });
    await waitFor('the old ones to go', async () => (await triesOf(old.id)) === 0);
    expect(await triesOf(present.id)).toBe(1);
  });
});
