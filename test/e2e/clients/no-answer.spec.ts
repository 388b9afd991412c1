import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { NoAnswerError, WaystationApi } from '../../../src/client/api/waystation-api.js';

/** Accepts every connection, and reads; never says a word. */
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
    // Without the limit of all tries they would not end.
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(sockets.size).toBeGreaterThan(1);
  });

  it('an import ends with the error that is documented', async () => {
    const { threads } = new WaystationApi({ apiUrl: url, token: 't' });
    await expect(threads.import('{}', {}, { timeoutMs: 100 })).rejects.toThrow(NoAnswerError);
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
