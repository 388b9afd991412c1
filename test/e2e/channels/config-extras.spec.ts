import {
  channelOf,
  createChannel,
  newBotToken,
  putConfig,
  telegramOrder,
  type ChannelRecord,
} from '../../support/channels.js';
import { ok } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

describe('A channel', () => {
  it('keeps what of its config only the client knows, and gives back what is no secret', async () => {
    const [bot_token, page_token] = [newBotToken(), 'a-token-of-something-else'];
    const extra = { colour: 'red', labels: ['a', { b: null }], note: `made for ${bot_token}`, page_token };
    const created = await createChannel(server.api, telegramOrder({ config: { bot_token, ...extra } }));
    const channel = await channelOf(server.api, created.id);
    expect(channel.config).toEqual({
      ...{ transport: 'webhook', allow_unsigned: false },
      ...{ colour: 'red', labels: ['a', { b: null }] },
    });
    expect(channel.secret_fields).toEqual(['bot_token', 'note', 'page_token']);
    const sentBack = ok(await putConfig(server.api, created.id, { ...created.config, bot_token }));
    expect(sentBack.json<ChannelRecord>()).toMatchObject({ config: channel.config, secret_fields: ['bot_token'] });
    for (const text of [bot_token, page_token]) expect(JSON.stringify([created, channel])).not.toContain(text);
  });
});
