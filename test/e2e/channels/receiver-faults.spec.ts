import { WhatsappFake } from '../../fakes/platforms/whatsapp-fake.js';
import { channelOf, connectWhatsapp, messagesOf } from '../../support/channels.js';
import { problemOf } from '../../support/problem.js';
import { ok } from '../../support/recording.js';
import { execute } from '../../support/sqlite-file.js';
import { withPostgres } from '../../support/storage.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();
const whatsapp = await WhatsappFake.start();
afterAll(() => whatsapp.close());

const UNWRITABLE = {
  sqlite: `CREATE TRIGGER no_fault BEFORE UPDATE OF fault ON channel BEGIN SELECT RAISE(ABORT, 'not now'); END`,
  postgres: `CREATE FUNCTION no_fault() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not now'; END $$;
    CREATE TRIGGER no_fault BEFORE UPDATE OF fault ON channel FOR EACH ROW EXECUTE FUNCTION no_fault()`,
};

async function change(sql: string): Promise<void> {
  const { databaseUrl, sqlitePath } = server.storage;
  if (databaseUrl === null) return execute(sqlitePath, sql);
  await withPostgres(databaseUrl, (client) => client.query(sql));
}

function deliver(body: string, signature = whatsapp.signature(body)) {
  const headers = { 'x-hub-signature-256': signature };
  return server.api.post('/v1/channels/webhook/whatsapp', body, { token: null, headers });
}

describe('The fault of a channel', () => {
  it('stops no message that proves itself, where it cannot be noted that the fault is gone', async () => {
    const { id } = await connectWhatsapp(server.api, whatsapp);
    const body = whatsapp.batch([whatsapp.textFrom('4911', 'hello')]);
    problemOf(await deliver(body, `sha256=${'0'.repeat(64)}`), 401);
    expect((await channelOf(server.api, id)).fault).toMatch(/signature does not fit/);
    await change(UNWRITABLE[server.storage.dialect]);
    ok(await deliver(body));
    expect(await messagesOf(server.api, id, { direction: 'in' })).toMatchObject([{ text: 'hello' }]);
    expect((await channelOf(server.api, id)).fault).toMatch(/signature does not fit/);
    await change(`DROP TRIGGER no_fault${server.storage.dialect === 'postgres' ? ' ON channel' : ''}`);
    ok(await deliver(body));
    expect((await channelOf(server.api, id)).fault).toBeNull();
  });
});
