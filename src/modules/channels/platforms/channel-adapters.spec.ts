import { jest } from '@jest/globals';
import { ChannelsConfig } from '../../../config/channels.config.js';
import { ChannelAdapters } from './channel-adapters.js';
import type { ChannelType } from './platforms.js';

const config = { bot_token: '1:secret', phone_number_id: '1065', access_token: 'EAA' };
const profile = { userId: null, userName: null, team: null };
const account = { channelId: 'c1', config, profile, webhookSecrets: [] };

/** The address that the adapter would call. */
async function addressOf(type: ChannelType, apiUrls = {}): Promise<string> {
  const fetched = jest.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('no network'));
  const adapter = new ChannelAdapters(Object.assign(new ChannelsConfig(), { apiUrls })).get(type);
  await adapter.fetchProfile(account, new AbortController().signal).catch(() => null);
  return String(fetched.mock.lastCall?.[0]);
}

describe('The adapters of the platforms', () => {
  afterEach(() => jest.restoreAllMocks());

  it.each<[ChannelType, string]>([
    ['telegram', 'https://api.telegram.org/'],
    ['whatsapp', 'https://graph.facebook.com/v23.0/'],
    ['slack', 'https://slack.com/api/'],
  ])('call %s itself unless told otherwise', async (type, own) => {
    expect(await addressOf(type)).toMatch(own);
    expect(await addressOf(type, { [type]: 'http://127.0.0.1:9999' })).toMatch('http://127.0.0.1:9999/');
  });
});
