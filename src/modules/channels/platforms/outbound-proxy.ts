import type { Send } from '../../../common/outbound-call.js';
import { isLoopbackUrl } from '../../../config/loopback.js';
import type { ProxySettings } from '../../../config/channels.config.js';
import { PlatformError } from './channel-adapter.js';

/** Sends texts and streams. */
export type SendAny = Send<string | ReadableStream | undefined>;

/** Sends calls to platforms through a proxy or directly, by the environment variables that curl and most programs use. */
export class OutboundProxies {
  private readonly ofAddress = new Map<string, Promise<SendAny>>();

  constructor(private readonly settings: ProxySettings) {}

  /** Calls to this machine itself are direct. @throws PlatformError if nothing was sent because of the proxy */
  readonly send: SendAny = async (url, init) => {
    const address = url.protocol === 'https:' ? this.settings.https : this.settings.http;
    if (address === null || isLoopbackUrl(url.href)) return fetch(url, init);
    const send = await this.through(address);
    return send(url, init);
  };

  private through(address: string): Promise<SendAny> {
    const known = this.ofAddress.get(address) ?? this.open(proxyAt(address));
    this.ofAddress.set(address, known);
    return known;
  }

  /** Loaded on demand: the package takes 40 ms and 20 MB, and most servers need no proxy. */
  private async open(proxy: URL): Promise<SendAny> {
    const { fetchThrough } = await import('./proxied-fetch.js');
    const exceptions = (this.settings.exceptions ?? '').split(/[,\s]+/);
    return fetchThrough(proxy, exceptions.includes('*') ? '*' : exceptions.join());
  }
}

/** @throws PlatformError if the proxy's address is invalid */
function proxyAt(address: string): URL {
  const text = address.includes('://') ? address : `http://${address}`;
  const proxy = URL.canParse(text) ? new URL(text) : null;
  if (proxy !== null && /^https?:$/.test(proxy.protocol)) return proxy;
  throw new PlatformError('HTTPS_PROXY or HTTP_PROXY names no proxy that speaks HTTP', true);
}
