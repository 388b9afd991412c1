import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { NoAnswerError, WaystationApi } from '../../../src/client/api/waystation-api.js';

/** Accepts every connection and reads, but never responds. */
let silent: net.Server;
const sockets = new Set<net.Socket>();
let url: string;

beforeAll(async () => {
  silent = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).resume();
  });
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
});
afterAll(() => {
  silent.close();
  for (const socket of sockets) socket.destroy();
});

describe('Where a server accepts requests and never answers', () => {
  it('all tries of a request end at one moment', async () => {
    const api = new WaystationApi({
      apiUrl: url,
      token: 't',
      timeoutMs: 100,
      retries: Infinity,
      totalTimeoutMs: 1_500,
    });
    const began = performance.now();
    await expect(api.health()).rejects.toThrow(NoAnswerError);
    // Without the total limit, the retries would never end.
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(sockets.size).toBeGreaterThan(1);
  });

  it('an import ends with the error that is documented', async () => {
    const { threads } = new WaystationApi({ apiUrl: url, token: 't' });
    await expect(threads.import('{}', {}, { timeoutMs: 100 })).rejects.toThrow(NoAnswerError);
  });
});

describe('Where a server is away for longer than other requests wait', () => {
  it('the wait for a decision goes on, also before its stream was ever open', async () => {
    const pending = { status: 'pending' };
    // The response to each request; null breaks the connection.
    const approvals = [null, null, null, pending, null, null, null, { status: 'approved' }];
    const streams = [null, null, null, 'event: opened\ndata: {"trace_id":"r"}\n\n'];
    const server = http.createServer((request, response) => {
      const isStream = request.url === '/approvals/stream';
      const answer = isStream ? streams.shift() : approvals.shift();
      if (answer === null || answer === undefined) return void response.destroy();
      response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
      response.write(isStream ? answer : JSON.stringify(answer));
      if (!isStream) response.end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const api = new WaystationApi({ apiUrl, token: 't' });
    const waited = api.approvals.wait({ trace_id: 'r', step: 1 });
    await expect(waited).resolves.toEqual({ status: 'approved' });
    server.closeAllConnections();
    server.close();
  });
});

describe('Where there is no server', () => {
  it('an export ends with the error that is documented, or with the reason of the signal', async () => {
    const { threads } = new WaystationApi({ apiUrl: 'http://127.0.0.1:9', token: 't' });
    await expect(threads.export('t').next()).rejects.toThrow(NoAnswerError);
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(threads.export('t', { signal }).next()).rejects.toThrow('enough');
  });
});
