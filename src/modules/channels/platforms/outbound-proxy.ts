import { isLoopbackUrl } from '../../../config/loopback.js';
import type { ProxySettings } from '../../../config/channels.config.js';
import { PlatformError } from './channel-adapter.js';

/** Which proxy a call to a platform takes, by the variables that curl and most programs know. */
export class OutboundProxies {
  private readonly exceptions: readonly string[];

  constructor(private readonly settings: ProxySettings) {
    this.exceptions = (settings.exceptions ?? '').toLowerCase().split(/[,\s]+/);
  }

  /**
   * The proxy for a URL; null where it goes there directly, as it always does to this machine itself.
   * @throws PlatformError where the address of the proxy is none
   */
  for(url: URL): URL | null {
    const given = url.protocol === 'https:' ? this.settings.https : this.settings.http;
    if (given === null || isLoopbackUrl(url.href) || this.isException(url)) return null;
    const text = given.includes('://') ? given : `http://${given}`;
    const proxy = URL.canParse(text) ? new URL(text) : null;
    if (proxy !== null && /^https?:$/.test(proxy.protocol)) return proxy;
    throw new PlatformError('HTTPS_PROXY or HTTP_PROXY names no proxy that speaks HTTP', true);
  }

  /** A name stands for its subdomains, too, with or without a dot or star before it. */
  private isException({ protocol, hostname, port }: URL): boolean {
    const wanted = port || (protocol === 'https:' ? '443' : '80');
    return this.exceptions.some((entry) => {
      if (entry === '*') return true;
      const [, name = entry, itsPort] = /^(.+):(\d+)$/.exec(entry) ?? [];
      const plain = name.replace(/^\*?\./, '');
      const isNamed = plain !== '' && (hostname === plain || hostname.endsWith(`.${plain}`));
      return isNamed && (itsPort === undefined || itsPort === wanted);
    });
  }
}
