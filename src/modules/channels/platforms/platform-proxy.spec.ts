import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ProxySettings } from '../../../config/channels.config.js';
import { PlatformCalls } from './platform-calls.js';

const NO_ONE = new AbortController().signal;
const PLATFORM = 'http://platform.test/api';

/** A proxy that resolves any name, and a platform behind it. */
class Proxy {
  /** The requested targets, with the credentials. */
  readonly asked: [target: string, proof: string | undefined][] = [];
  status = 200;
  private readonly tunnels: Duplex[] = [];

  private constructor(
    private readonly server: Server,
    private readonly platform: Server,
  ) {}

  static async start(): Promise<Proxy> {
    const platform = createServer((request, response) => response.end(JSON.stringify({ host: request.headers.host })));
    const server = createServer((_, response) => response.writeHead(400).end());
    const proxy = new Proxy(server, platform);
    server.on('connect', ({ url, headers }, near) => {
      proxy.asked.push([url!, headers['proxy-authorization']]);
      if (proxy.status !== 200) return near.end(`HTTP/1.1 ${proxy.status} No\r\n\r\n`);
      const far = connect(portOf(platform), '127.0.0.1', () => near.write('HTTP/1.1 200 OK\r\n\r\n'));
      proxy.tunnels.push(near, far);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const)
        from.on('error', () => to.destroy()).pipe(to);
    });
    for (const one of [server, platform]) await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://kim:pass@127.0.0.1:${portOf(this.server)}`;
  }

  get platformUrl(): string {
    return `http://127.0.0.1:${portOf(this.platform)}/`;
  }

  async close(): Promise<void> {
    for (const tunnel of this.tunnels) tunnel.destroy();
    for (const one of [this.server, this.platform]) {
      one.closeAllConnections();
      await new Promise((resolve) => one.close(resolve));
    }
  }
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

let proxy: Proxy;
beforeEach(async () => (proxy = await Proxy.start()));
afterEach(() => proxy.close());

function call(settings: Partial<ProxySettings>, url = PLATFORM) {
  const calls = new PlatformCalls(5_000, { http: null, https: null, exceptions: null, ...settings });
  return calls.call({ method: 'GET', url }, NO_ONE);
}

describe('Calls to platforms where a proxy is set', () => {
  it('go through it', async () => {
    for (const settings of [{ http: proxy.url }, { http: proxy.url, https: 'http://127.0.0.1:1' }]) {
      expect(await call(settings)).toMatchObject({ status: 200, body: { host: 'platform.test' } });
    }
    const proof = `Basic ${Buffer.from('kim:pass').toString('base64')}`;
    expect(proxy.asked).toEqual(Array(2).fill(['platform.test:80', proof]));
  });

  it.each(['platform.test', 'test', '.test', '*.TEST', 'other.test, platform.test:80', '*'])(
    'go straight to what NO_PROXY names: %s',
    async (exceptions) => {
      await expect(call({ http: proxy.url, exceptions })).rejects.toThrow(/cannot be resolved/);
      expect(proxy.asked).toEqual([]);
    },
  );

  it.each(['atform.test', 'platform.test:443', 'x.platform.test', '10.0.0.0/8', ''])(
    'are no exception for %j',
    async (exceptions) => {
      expect((await call({ http: proxy.url, exceptions })).status).toBe(200);
    },
  );

  it('of the secure kind take the proxy for those, and prove the platform behind it', async () => {
    await expect(call({ http: proxy.url }, 'https://platform.test/')).rejects.toThrow(/cannot be resolved/);
    // The server behind the proxy speaks no TLS.
    const secure = call({ https: proxy.url, http: 'http://127.0.0.1:1' }, 'https://platform.test/');
    await expect(secure).rejects.toThrow(/broke/);
    expect(proxy.asked.map(([target]) => target)).toEqual(['platform.test:443']);
  });

  it('go straight to this machine', async () => {
    expect((await call({ http: proxy.url, https: proxy.url }, proxy.platformUrl)).status).toBe(200);
    expect(proxy.asked).toEqual([]);
  });

  it('have not reached the platform where the proxy refuses them, is away, or has no address', async () => {
    proxy.status = 407;
    await expect(call({ http: proxy.url })).rejects.toMatchObject({
      message: expect.stringMatching(/proxy.*407/),
      isCertain: true,
    });
    const away = call({ http: 'http://127.0.0.1:1' });
    await expect(away).rejects.toMatchObject({ message: expect.stringMatching(/proxy/), isCertain: true });
    for (const http of ['socks5://kim:pass@127.0.0.1:1080', 'http://kim:pass@', '127.0.0.1:1']) {
      const failure = await call({ http }).catch((error: unknown) => error);
      expect(failure).toMatchObject({ message: expect.stringMatching(/proxy/), isCertain: true });
      expect(String(failure)).not.toContain('pass');
    }
  });

  it('are free for another try after a fault of the proxy', async () => {
    proxy.status = 503;
    const calls = new PlatformCalls(5_000, { http: proxy.url, https: null, exceptions: null });
    await expect(calls.call({ method: 'GET', url: PLATFORM }, NO_ONE)).rejects.toThrow(/503/);
    proxy.status = 200;
    expect((await calls.call({ method: 'GET', url: PLATFORM }, NO_ONE)).status).toBe(200);
  });
});
