import { problemOf } from '../../support/problem.js';
import { EVENTS } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer({ env: { WAYSTATION_ALLOWED_HOSTS: 'waystation.example' } });

describe('A page that lets its own name point to this machine', () => {
  it.each([
    '/',
    '/favicon.ico',
    '/health',
    '/threads',
    '/docs',
    '/docs-json',
    '/metrics',
    '/approvals',
    EVENTS,
    '/nowhere',
  ])('gets nothing from %s, even with a token', async (path) => {
    for (const host of [
      'evil.example',
      'localhost.evil.example',
      '127.0.0.1.evil.example:8000',
      'waystation.example.evil',
    ]) {
      const answer = await server.api.get(path, { headers: { host } });
      expect(problemOf(answer, 403).code).toBe('host_not_allowed');
    }
  });

  it('cannot write either, and no answer allows another origin', async () => {
    const headers = { host: 'evil.example', origin: 'http://evil.example' };
    problemOf(await server.api.post(EVENTS, { events: [] }, { headers }), 403);
    for (const method of ['OPTIONS', 'GET', 'POST']) {
      const answer = await server.api.send(method, EVENTS, undefined, { headers: { origin: 'http://evil.example' } });
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  it('is not helped by headers that proxies set', async () => {
    const headers = { host: 'evil.example', 'x-forwarded-host': 'localhost', forwarded: 'host=localhost' };
    problemOf(await server.api.get('/threads', { headers }), 403);
  });

  it('while names that were allowed are served', async () => {
    expect((await server.api.get('/health', { headers: { host: 'Waystation.Example:443' } })).status).toBe(200);
  });
});
