import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ApiSecret } from '../../../config/api-secret.js';
import { ServerConfig } from '../../../config/server.config.js';

/** Further cookies of one name come from other servers on this machine, which share its cookies. */
const MAX_VALUES = 8;
const DIGITS = 8;

/**
 * A session's cookie. Its name differs between servers on one machine, whose cookies browsers mix, and is the same on all instances. It is
 * a browser-session cookie; the server limits the session. The storage only has digests.
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

  /** Uses the machine secret: a reader of the database learns nothing, and a new secret ends all sessions. */
  digestOf(text: string): string {
    return createHmac('sha256', this.secret.value).update(`console:${text}`).digest('hex');
  }

  /**
   * Both halves of a session, which a page can request again: the same for the same code and proof on each instance. Cannot be computed
   * without the machine secret.
   */
  halvesOf(code: string, proof: string): Record<'cookie' | 'key', string> {
    const half = (name: string) =>
      createHmac('sha256', this.secret.value).update(`console-${name}:${code}:${proof}`).digest('base64url');
    return { cookie: half('cookie'), key: half('key') };
  }

  /** The header's values for the name; several if another server on this machine uses it, too. */
  valuesIn(header: string | undefined): string[] {
    if (header === undefined || !header.includes(this.name)) return [];
    const pairs = header.split(';').map((pair) => pair.trim());
    const own = pairs.filter((pair) => pair.startsWith(`${this.name}=`));
    return own.slice(0, MAX_VALUES).map((pair) => pair.slice(this.name.length + 1));
  }
}
