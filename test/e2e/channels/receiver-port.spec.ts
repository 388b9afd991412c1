import { readFileSync } from 'node:fs';
import { ApiClient } from '../../support/api-client.js';
import { createReadyChannel, messagesOf, telegramOrder } from '../../support/channels.js';
import { problemOf } from '../../support/problem.js';
import { ServerProcess } from '../../support/server-process.js';
import { useServer } from '../../support/test-server.js';

const DOCUMENT = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as { paths: Record<string, object> };

const server = useServer({ env: { WAYSTATION_RECEIVER_PORT: '0' } });

function receiver(): ApiClient {
  const address = /receiver\s+(http:\/\/127\.0\.0\.1:\d+)/.exec(server.process.printed)?.[1];
  if (!address) throw new Error('The server does not say where its receiver is.');
  return new ApiClient(address, server.storage.secret);
}

describe('The second listener', () => {
  it('serves the receiver', async () => {
    const order = telegramOrder();
    Object.assign(order.config as object, { allow_unsigned: true });
    const { id } = await createReadyChannel(server.api, order);
    const api = receiver();
    const from = { id: 7, is_bot: false, first_name: 'Kim' };
    const message = { message_id: 1, date: 1, chat: { id: 7, type: 'private' }, from, text: 'from outside' };
    const headers = { host: 'bots.example.com' };
    const path = '/v1/channels/webhook/telegram';
    expect((await api.post(path, { update_id: 1, message }, { token: null, headers })).status).toBe(200);
    expect(await messagesOf(server.api, id, { direction: 'in' })).toMatchObject([{ text: 'from outside' }]);
    problemOf(await api.get('/v1/channels/webhook/discord', { token: null }), 404);
    api.close();
  });

  it.each([
    ...['/', '/health', '/health/ready', '/docs', '/docs-json', '/threads', '/v1/channels', '/v1/runners/events'],
    ...['/v1/channels/webhook', '/v1/channels/webhook/../../threads', '//v1/channels/webhook/telegram', '/v1/tokens'],
  ])('has nothing else, with a token neither: %s', async (path) => {
    const api = receiver();
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      for (const token of [null, server.storage.secret]) {
        const answer = await api.send(method, path, undefined, { token });
        expect([method, answer.status]).toEqual([method, 404]);
      }
    }
    api.close();
  });

  it('leads to no other route, whatever it is called', async () => {
    const api = receiver();
    const paths = Object.entries(DOCUMENT.paths).flatMap(([template, operations]) =>
      Object.keys(operations).map(
        (method) => [method.toUpperCase(), template.replace(/\{[^}]*\}/g, 'webhook')] as const,
      ),
    );
    expect(paths.length).toBeGreaterThan(50);
    for (const [method, path] of paths) {
      const problem = problemOf(await api.send(method, path), 404);
      const isReceiver = /^\/v1\/channels\/webhook\/[^/]+$/.test(path) && ['GET', 'POST'].includes(method);
      expect([method, path, problem.code]).toEqual([method, path, isReceiver ? 'unknown_platform' : 'route_not_found']);
    }
    api.close();
  });

  it('that cannot be had is said plainly', async () => {
    const port = new URL(receiver().baseUrl).port;
    const home = `${server.storage.home}/second`;
    const env = { WAYSTATION_HOME: home, DATABASE_URL: '', WAYSTATION_RECEIVER_PORT: port };
    const second = ServerProcess.spawn(server.storage, { env });
    expect(await second.exit()).toBe(1);
    expect(second.printed).toContain(`port ${port}`);
  });
});
