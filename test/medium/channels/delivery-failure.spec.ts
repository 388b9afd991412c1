import { createHash } from 'node:crypto';
import { jest } from '@jest/globals';
import { Database } from '../../../src/database/database.js';
import { ChannelAdapters } from '../../../src/modules/channels/platforms/channel-adapters.js';
import type { SendOutcome } from '../../../src/modules/channels/platforms/outbound-message.js';
import { FakeAgent } from '../../fakes/fake-agent.js';
import { WhatsappFake } from '../../fakes/platforms/whatsapp-fake.js';
import { connectWhatsapp, messagesOf, type CreatedChannel } from '../../support/channels.js';
import { testDialect } from '../../support/dialect.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { waitFor } from '../../support/wait.js';

let whatsapp: WhatsappFake;
let agent: FakeAgent;
let server: InProcessApp;
let channel: CreatedChannel;
let person = 4911;

beforeAll(async () => {
  whatsapp = await WhatsappFake.start();
  agent = await FakeAgent.start();
  server = await startApp({ env: { WAYSTATION_WHATSAPP_API_URL: whatsapp.url } });
  channel = await connectWhatsapp(server.api, whatsapp);
  agent.api = server.api;
  await agent.beat();
});
beforeEach(() => {
  person += 1;
});
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
  await server?.stop();
  await whatsapp?.close();
  await agent?.close();
});

const write = () => whatsapp.deliver(whatsapp.batch([whatsapp.textFrom(String(person), 'hello')]));

function deliverFailure(messageId: string) {
  const errors = [{ code: 131026, title: 'Undeliverable', error_data: { details: 'Message undeliverable' } }];
  const status = { id: messageId, status: 'failed', timestamp: '1', recipient_id: String(person), errors };
  return whatsapp.deliver(whatsapp.batch([], [status]));
}

async function answer() {
  const rows = await messagesOf(server.api, channel.id, { direction: 'out' });
  return rows.find(({ chat_id }) => chat_id === String(person));
}

const failed = async () => (await answer())?.status === 'failed' && answer();
const words = { status: 'failed', reason: expect.stringContaining('Message undeliverable') };

describe('A message that WhatsApp took and could not deliver', () => {
  it('has failed, also where that is heard before it is written down that it was sent', async () => {
    const adapter = server.app.get(ChannelAdapters, { strict: false }).get('whatsapp');
    const send = adapter.send.bind(adapter);
    jest.spyOn(adapter, 'send').mockImplementationOnce(async (...args): Promise<SendOutcome> => {
      const outcome = await send(...args);
      if (outcome.kind === 'sent') await deliverFailure(outcome.messageId!);
      return outcome;
    });
    await write();
    expect(await waitFor('the failure', failed)).toMatchObject({ ...words, external_id: expect.any(String) });
  });

  it('is named to its person, if it was a file', async () => {
    const bytes = Buffer.from('OggS');
    const digest = createHash('sha256').update(bytes).digest('hex');
    const { script } = agent;
    agent.script = async (run) => {
      const ids = { thread_id: run.threadId, trace_id: run.runId, agent_id: agent.name };
      await agent.report({ type: 'thread_started', data: ids });
      await server.api.send(
        'PUT',
        `/v1/runners/threads/${encodeURIComponent(run.threadId)}/attachments/${digest}`,
        bytes,
      );
      const said = { digest, size_bytes: bytes.length, name: 'tune.ogg', media_type: 'audio/ogg' };
      await agent.report({ type: 'attachment', data: { ...ids, ...said } });
      await script(run, agent);
    };
    await write();
    const rows = async () =>
      (await messagesOf(server.api, channel.id, { direction: 'out' })).filter(
        ({ chat_id }) => chat_id === String(person),
      );
    const file = await waitFor('the file', async () =>
      (await rows()).find(({ kind, status }) => kind === 'file' && status === 'sent'),
    );
    for (let times = 0; times < 2; times++) await deliverFailure(String(file.external_id));
    await waitFor('the word about it', async () =>
      (await rows()).some(
        ({ kind, text, status }) => kind === 'text' && status === 'sent' && /tune\.ogg/.test(String(text)),
      ),
    );
    expect((await rows()).filter(({ text }) => /tune\.ogg/.test(String(text)))).toHaveLength(1);
    agent.script = script;
  });

  /** SQLite writes one transaction after the other. */
  if (testDialect() !== 'postgres') return;

  it('has failed, also where that is heard while it is written down that it was sent', async () => {
    const database = server.app.get(Database);
    const transaction = database.transaction.bind(database);
    let heard: Promise<unknown> | null = null;
    jest.spyOn(database, 'transaction').mockImplementation((work) =>
      transaction(async (session) => {
        const result = await work(session);
        const sql = `SELECT external_id FROM channel_message WHERE chat_id = $1 AND status = 'sent'`;
        const [row] = heard === null ? await session.query<{ external_id: string }>(sql, [String(person)]) : [];
        if (row) {
          heard = deliverFailure(row.external_id);
          const isBlocked = async () =>
            (await database.read(`SELECT 1 AS blocked FROM pg_locks WHERE NOT granted`)).length > 0;
          await Promise.race([heard, waitFor('the delivery to wait', isBlocked)]);
        }
        return result;
      }),
    );
    await write();
    expect(await waitFor('the failure', failed)).toMatchObject(words);
  });
});
