import { readFile } from 'node:fs/promises';
import { ApiSecret } from '../../../src/config/api-secret.js';
import { Database } from '../../../src/database/database.js';
import { ChannelVault } from '../../../src/modules/channels/accounts/channel-vault.js';
import {
  channelOf,
  CHANNELS,
  createChannel,
  newBotToken,
  putConfig,
  setUpWebhook,
  telegramOrder,
  type ChannelRecord,
} from '../../support/channels.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { problemOf } from '../../support/problem.js';
import { ok } from '../../support/recording.js';
import { withPostgres } from '../../support/storage.js';
import { textUpdate } from '../../support/telegram-updates.js';

let server: InProcessApp;

beforeEach(async () => {
  server = await startApp();
});
afterEach(() => server.stop());

/** The whole content of the database, as bytes. */
async function stored({ storage }: InProcessApp): Promise<string> {
  if (storage.databaseUrl !== null) {
    const { rows } = await withPostgres(storage.databaseUrl, (client) => client.query('SELECT * FROM channel'));
    return JSON.stringify(rows);
  }
  const files = [storage.sqlitePath, `${storage.sqlitePath}-wal`];
  return (await Promise.all(files.map((file) => readFile(file, 'latin1')))).join('');
}

describe('The database', () => {
  it('holds neither tokens nor codes in the clear', async () => {
    const bot_token = newBotToken();
    const channel = await createChannel(server.api, telegramOrder({ config: { bot_token } }));
    const bytes = await stored(server);
    expect(bytes).toContain(channel.id);
    expect(bytes).not.toContain(bot_token.split(':')[1]);
    expect(bytes).not.toMatch(new RegExp(`[^0-9]${channel.verification_code}[^0-9]`));
  });
});

describe('A config that this machine secret does not open', () => {
  it('is said to be so, is never an internal error, and is fixed by a new one', async () => {
    const [one, two] = [
      await createChannel(server.api, telegramOrder()),
      await createChannel(server.api, telegramOrder()),
    ];
    await server.api.delete(`${CHANNELS}/${one.id}`);
    const database = server.app.get(Database, { strict: false });
    // Sealed for another owner, which makes no difference to the one who opens it.
    const sealed = new ChannelVault(new ApiSecret(server.storage.secret, '')).seal({ bot_token: '1:a' }, one.id);
    await database.transaction((session) => session.query('UPDATE channel SET config = $1', [sealed]));
    expect(await channelOf(server.api, two.id)).toMatchObject({ config: null, secret_fields: [] });
    expect(ok(await server.api.get(CHANNELS)).json<{ items: ChannelRecord[] }>().items).toHaveLength(1);
    expect(problemOf(await setUpWebhook(server.api, two.id, 'https://x.example'), 409).code).toBe('config_unreadable');
    problemOf(await server.api.post('/v1/channels/webhook/telegram', textUpdate('x'), { token: null }), 401);
    ok(await putConfig(server.api, two.id, { bot_token: newBotToken() }));
    expect((await channelOf(server.api, two.id)).secret_fields).toEqual(['bot_token']);
  });
});
