import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ApiSecret } from '../../../config/api-secret.js';
import { ServerConfig } from '../../../config/server.config.js';

/** More of one name come from other servers on this machine, which share its cookies. */
const MAX_VALUES = 8;
const DIGITS = 8;

/**
 * The cookie of a session. Its name differs between servers on one machine, whose cookies browsers mix, and is the same on all
 * instances. It goes with the browser; how long the session lasts is the server's business. The storage knows only digests.
 */
@Injectable()
export class SessionCookie {
  private readonly name: string;
  private readonly attributes: string;

  constructor(
    private readonly secret: ApiSecret,
    { publicUrl }: ServerConfig,
  ) {
    const isSecure = publicUrl?.startsWith('https:') ?? false;
    const own = createHmac('sha256', secret.value).update('console').digest('hex').slice(0, DIGITS);
    this.name = `${isSecure ? '__Host-' : ''}waystation_${own}`;
    this.attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  }

  set(value: string): string {
    return `${this.name}=${value}; ${this.attributes}`;
  }

  /** The value of `Set-Cookie` that ends it. */
  clear(): string {
    return `${this.name}=; Max-Age=0; ${this.attributes}`;
  }

  /** With the machine secret: who reads the database learns nothing, and a new secret ends all sessions. */
  digestOf(text: string): string {
    return createHmac('sha256', this.secret.value).update(`console:${text}`).digest('hex');
  }

  /**
   * Both halves of a session that a page can ask for again: the same for the same code and proof, on each instance. Nobody else computes
   * them, whatever they know of code and proof.
   */
  halvesOf(code: string, proof: string): Record<'cookie' | 'key', string> {
    const half = (name: string) =>
      createHmac('sha256', this.secret.value).update(`console-${name}:${code}:${proof}`).digest('base64url');
    return { cookie: half('cookie'), key: half('key') };
  }

  /** What comes under the name in the header; several where another server of this machine uses it, too. */
  valuesIn(header: string | undefined): string[] {
    if (header === undefined || !header.includes(this.name)) return [];
    const pairs = header.split(';').map((pair) => pair.trim());
    const own = pairs.filter((pair) => pair.startsWith(`${this.name}=`));
    return own.slice(0, MAX_VALUES).map((pair) => pair.slice(this.name.length + 1));
  }
}
