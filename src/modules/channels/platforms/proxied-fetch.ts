import { EnvHttpProxyAgent, fetch, Pool, type Dispatcher } from 'undici';
import { PlatformError } from './channel-adapter.js';
import type { SendAny } from './outbound-proxy.js';

type Opened = Dispatcher.ConnectData;

/** Connections to a proxy. If they fail, nothing was sent to the platform. */
class ProxyPool extends Pool {
  override connect(options: Dispatcher.ConnectOptions): Promise<Opened>;
  override connect(options: Dispatcher.ConnectOptions, callback: (error: Error | null, data: Opened) => void): void;
  override async connect(options: Dispatcher.ConnectOptions): Promise<Opened> {
    const opened = await super.connect(options).catch(() => {
      throw new PlatformError('the proxy before the platform cannot be reached', true);
    });
    if (opened.statusCode === 200) return opened;
    opened.socket.destroy();
    throw new PlatformError(`the proxy lets nothing through to the platform (${opened.statusCode})`, true);
  }
}

/**
 * Sends through HTTP proxy tunnels (CONNECT), so that the proxy sees only the target.
 * @param exceptions hosts to reach directly, as in `NO_PROXY`
 */
export function fetchThrough(proxy: URL, exceptions: string): SendAny {
  const { origin, username, password } = proxy;
  const dispatcher = new EnvHttpProxyAgent({
    httpProxy: origin,
    httpsProxy: origin,
    noProxy: exceptions,
    clientFactory: (url, options) => new ProxyPool(url, options),
    ...(username === '' && password === '' ? {} : { token: proofOf(proxy) }),
  });
  return (url, init) => fetch(url, { ...init, dispatcher });
}

function proofOf({ username, password }: URL): string {
  const pair = [username, password].map((part) => unescaped(part)).join(':');
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

/** Anything but a percent code is literal. */
function unescaped(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (codes) => Buffer.from(codes.replaceAll('%', ''), 'hex').toString('utf8'));
}
