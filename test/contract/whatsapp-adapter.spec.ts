import { WhatsappAdapter } from '../../src/modules/channels/platforms/whatsapp/whatsapp.adapter.js';
import type { ChannelAccount } from '../../src/modules/channels/platforms/channel-adapter.js';
import { PlatformCalls } from '../../src/modules/channels/platforms/platform-calls.js';
import { WhatsappFake } from '../fakes/platforms/whatsapp-fake.js';

const never = new AbortController().signal;
const ANN = '16505551234';

describe('The adapter of whatsapp, besides the contract,', () => {
  let fake: WhatsappFake;
  let adapter: WhatsappAdapter;
  let account: ChannelAccount;

  const send = (text: string, chatId = ANN) =>
    adapter.send(account, { kind: 'text', chat: { chatId, topic: null }, text }, never);

  beforeEach(async () => {
    fake = await WhatsappFake.start();
    fake.open.add(ANN);
    adapter = new WhatsappAdapter(new PlatformCalls(10_000), fake.url);
    const profile = { userId: null, userName: null, team: null };
    const config = { ...fake.config, verify_token: 'verify me' };
    account = { channelId: 'c', config, profile, webhookSecrets: [] };
  });

  afterEach(() => fake.close());

  it('writes the marks that WhatsApp knows', async () => {
    await send('# Result\n**bold** and *thin*, ~~gone~~ [more](https://x.org)\n- one\n```js\nx();\n```');
    const expected = '*Result*\n*bold* and _thin_, ~gone~ more (https://x.org)\n• one\n```\nx();\n```';
    expect(fake.messages[0]!.text).toBe(expected);
  });

  it('addresses numbers, people who hide theirs, and groups each in its own way', async () => {
    ['US.1349', 'Y2FwaV9'].forEach((id) => fake.open.add(id));
    await send('a');
    await send('b', 'US.1349');
    await send('c', 'group:Y2FwaV9');
    const addresses = fake.requests.map(({ body: { to, recipient, recipient_type } }) => ({
      to,
      recipient,
      recipient_type,
    }));
    expect(addresses).toEqual([
      { to: ANN, recipient: undefined, recipient_type: 'individual' },
      { to: undefined, recipient: 'US.1349', recipient_type: 'individual' },
      { to: 'Y2FwaV9', recipient: undefined, recipient_type: 'group' },
    ]);
  });

  it('knows that nothing can be sent when the person did not write for a day', async () => {
    const outcome = await send('hi', '4915199');
    expect(outcome).toMatchObject({ kind: 'refused', isChatClosed: true, reason: expect.stringContaining('131047') });
  });

  it.each([
    [400, 131056, { kind: 'later', afterMs: 6_000 }],
    [400, 130429, { kind: 'later', afterMs: null }],
    [400, 80007, { kind: 'later', afterMs: null }],
    [500, 131000, { kind: 'later', afterMs: null }],
    [503, 131016, { kind: 'later', afterMs: null }],
    [400, 131026, { kind: 'refused', isChatClosed: false }],
    [401, 190, { kind: 'refused', isChatClosed: false }],
  ])('knows what status %i with code %i means', async (status, code, expected) => {
    fake.failNext('/messages$', WhatsappFake.error(status, code, 'words'));
    expect(await send('hi')).toMatchObject({ ...expected, reason: `${code}: words` });
  });

  it('says that a question is answered by a new message, as none can be edited', async () => {
    const chat = { chatId: ANN, topic: null };
    const edit = { kind: 'edit', chat, messageId: 'wamid.Q', text: 'Approved' } as const;
    const outcome = await adapter.send(account, edit, never);
    expect(outcome).toEqual({ kind: 'sent', messageId: fake.messages[0]!.id });
    expect(outcome).not.toMatchObject({ messageId: 'wamid.Q' });
  });

  it('tells who pressed by quoting the press', async () => {
    await adapter.answerPress(account, `${ANN} wamid.P1`, 'Only Bo may decide.', never);
    expect(fake.messages).toMatchObject([{ to: ANN, text: 'Only Bo may decide.' }]);
    expect(fake.requests[0]!.body.context).toEqual({ message_id: 'wamid.P1' });
    await adapter.answerPress(account, `${ANN} wamid.P1`, '', never);
    expect(fake.messages.length).toBe(1);
  });

  it('shows that it types by marking the last message as read', async () => {
    await adapter.showTyping(account, { chatId: ANN, topic: null }, 'wamid.L', never);
    expect(fake.typing).toEqual(['wamid.L']);
  });

  it('answers the handshake only to whoever knows the verify token', () => {
    const query = { 'hub.mode': 'subscribe', 'hub.verify_token': 'verify me', 'hub.challenge': '1158201444' };
    expect(adapter.handshake(query, account)).toBe('1158201444');
    const wrong = [
      {},
      { ...query, 'hub.verify_token': 'verify me not' },
      { ...query, 'hub.verify_token': ['verify me'] },
      { ...query, 'hub.mode': 'unsubscribe' },
      { ...query, 'hub.challenge': '<script>' },
      { ...query, 'hub.challenge': ['1', '2'] },
      { hub: { mode: 'subscribe', verify_token: 'verify me', challenge: '1' } },
    ];
    for (const each of wrong) expect(adapter.handshake(each, account)).toBeNull();
  });

  it('names what is to be pasted, shows no secret, and subscribes the app where the account is known', async () => {
    const url = 'https://x.org/v1/channels/webhook/whatsapp';
    const first = await adapter.registerWebhook(account, url, 'unused', never);
    expect(first).toMatchObject({ status: 'manual', instructions: expect.arrayContaining([`Callback URL: ${url}`]) });
    expect(fake.subscribed).toEqual([]);
    const known = { ...account, config: { ...account.config, waba_id: '102290129340398' } };
    const second = await adapter.registerWebhook(known, url, 'unused', never);
    expect(fake.subscribed).toEqual(['102290129340398']);
    expect(JSON.stringify([first, second])).not.toMatch(/verify me|access-token|app-secret|unused/);
    fake.failNext('subscribed_apps', WhatsappFake.error(403, 200, 'Permission denied'));
    await expect(adapter.registerWebhook(known, url, 's', never)).rejects.toThrow('200: Permission denied');
  });

  it('takes a button of a template for its words, unless it carries what buttons of ours carry', () => {
    const update = (payload: string) => {
      const button = { payload, text: 'Where is my parcel?' };
      const message = { id: 'wamid.B', timestamp: '1763600000', type: 'button', from: '16505551234', button };
      const metadata = { phone_number_id: account.config.phone_number_id };
      const changes = [{ field: 'messages', value: { metadata, messages: [message] } }];
      const rawBody = Buffer.from(JSON.stringify({ entry: [{ changes }] }));
      return adapter.parse({ rawBody, headers: {}, receivedAtMs: 0 }, account).updates[0];
    };
    for (const payload of ['', 'PARCEL', 'approve:all', 'approve:0f8fad5b']) {
      expect(update(payload)).toMatchObject({ kind: 'message', text: 'Where is my parcel?', isAddressed: true });
    }
    const ours = 'reject:0f8fad5b-d9cb-469f-a165-70867728950e';
    expect(update(ours)).toMatchObject({ kind: 'press', data: ours });
  });

  it('finds all numbers that a batch is for', () => {
    const values = ['1', '2', '1'].map((id) => ({ value: { metadata: { phone_number_id: id } }, field: 'messages' }));
    const rawBody = Buffer.from(JSON.stringify({ entry: [{ changes: values }, { changes: [] }, {}] }));
    const headers = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
    expect(adapter.claimOf({ rawBody, headers, receivedAtMs: 0 })).toEqual({ by: 'identity', identities: ['1', '2'] });
    const none = { rawBody: Buffer.from('{"entry":[]}'), headers, receivedAtMs: 0 };
    expect(adapter.claimOf(none)).toEqual({ by: 'type' });
  });
});
