import { createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { ApiConnection } from './api-connection.js';
import { isUnsent, leasePath, readLeaseResponse } from './lease-requests.js';

const answer = (status: number, body: object | string) => ({
  status,
  headers: new Headers(),
  text: typeof body === 'string' ? body : JSON.stringify(body),
});

async function errorOf(apiUrl: string, timeoutMs = 10_000): Promise<unknown> {
  return new ApiConnection(apiUrl, 'token').send('/x', { timeoutMs }).then(
    () => null,
    (error: unknown) => error,
  );
}

describe('The answer to the claim of a lease', () => {
  it.each([
    ['held', 201, { fence: 7, holder: 'a', expires_at: '1970-01-01T00:00:01.000Z' }],
    ['held', 200, { fence: 7, holder: 'a', expires_at: '1970-01-01T00:00:01.000Z' }],
    ['busy', 409, { code: 'lease_held', holder: 'b', expires_at: '1970-01-01T00:00:01.000Z' }],
    ['stale', 409, { code: 'stale_fence' }],
    ['later', 503, { code: 'queue_full' }],
    ['later', 502, '<html>'],
    ['later', 429, ''],
    ['refused', 404, { code: 'route_not_found' }],
    ['refused', 403, { code: 'agent_not_allowed', detail: 'No.' }],
    ['refused', 200, '<html>'],
  ])('is %s for %i', (kind, status, body) => {
    expect(readLeaseResponse(answer(status, body))).toMatchObject({ kind });
  });

  it('belongs to a path in which ids may have any character', () => {
    expect(leasePath('a/b', 'ü?')).toBe('/v1/runners/threads/a%2Fb/runs/%C3%BC%3F/lease');
  });
});

describe('A claim that fails', () => {
  it.each(['http://127.0.0.1:1', 'http://127.0.0.1:6'])('was not sent where nobody listens: %s', async (url) => {
    expect(isUnsent(await errorOf(url))).toBe(true);
  });

  it.each(['closes', 'is silent'])('may have been sent where the server %s', async (kind) => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      if (kind === 'closes') socket.once('data', () => socket.destroy());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(isUnsent(await errorOf(url, 300))).toBe(false);
    for (const socket of sockets) socket.destroy();
    server.close();
  });
});
