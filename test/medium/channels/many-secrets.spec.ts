import { jest } from '@jest/globals';
import { ChannelAdapters } from '../../../src/modules/channels/platforms/channel-adapters.js';
import { PlatformServer } from '../../fakes/platforms/platform-server.js';
import { createReadyChannel } from '../../support/channels.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { problemOf } from '../../support/problem.js';

const CHANNELS = 6;
/** Longer than the limit for a slice of work. */
const TRY_MS = 30;

let server: InProcessApp;
let platform: PlatformServer;

beforeAll(async () => {
  const me = { ok: true, team: 'Many', user: 'bot', team_id: 'T1', user_id: 'U1' };
  platform = new PlatformServer(() => ({ status: 200, body: me }));
  await platform.listen();
  server = await startApp({ env: { WAYSTATION_SLACK_API_URL: platform.url } });
});
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
  await server?.stop();
  await platform?.close();
});

it('A request whose sender only the secrets of many channels could tell leaves the others their turns', async () => {
  for (let n = 0; n < CHANNELS; n++) {
    const config = { bot_token: `xoxb-${n}`, signing_secret: `${n}`.repeat(32) };
    await createReadyChannel(server.api, { channel_type: 'slack', name: `Workspace ${n}`, config });
  }
  let turns = 0;
  const turnsAtTries: number[] = [];
  const turning = setInterval(() => (turns += 1), 0);
  const adapter = server.app.get(ChannelAdapters, { strict: false }).get('slack');
  jest.spyOn(adapter, 'isProven').mockImplementation(() => {
    turnsAtTries.push(turns);
    for (const endMs = performance.now() + TRY_MS; performance.now() < endMs;);
    return false;
  });
  const headers = {
    'x-slack-request-timestamp': String(Math.floor(Date.now() / 1000)),
    'x-slack-signature': `v0=${'0'.repeat(64)}`,
  };
  const event = { type: 'event_callback', team_id: 'T1', event: { type: 'message', text: 'hello' } };
  problemOf(await server.api.post('/v1/channels/webhook/slack', event, { token: null, headers }), 401);
  clearInterval(turning);
  expect(turnsAtTries).toHaveLength(CHANNELS);
  // The first turn may come before any timer fires.
  expect(new Set(turnsAtTries).size).toBeGreaterThanOrEqual(CHANNELS - 1);
});
