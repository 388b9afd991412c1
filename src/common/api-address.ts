import { findServer } from './server-record.js';
import { trimEndOf } from './trim-end.js';

/** Where a server listens by default. */
export const DEFAULT_API_URL = 'http://127.0.0.1:8000';

/** The address of the API server: either given, or published by the server of a home directory. */
export class ApiAddress {
  private url: string;

  /** @param home null if the address was given and stays the same */
  constructor(
    url: string,
    private readonly home: string | null = null,
  ) {
    this.url = trimEndOf(url, '/');
  }

  /** The address of the server of this home directory; the default address while there is none. */
  static ofHome(home: string): ApiAddress {
    return new ApiAddress(findServer(home)?.url ?? DEFAULT_API_URL, home);
  }

  /** Base address without a trailing slash. */
  get current(): string {
    return this.url;
  }

  /**
   * Call it when the server does not respond, or something else does: it may have restarted elsewhere. While no server runs, the last
   * address stays; otherwise the token could go to whatever listens at the default address.
   */
  lookAgain(): void {
    if (this.home !== null) this.url = findServer(this.home)?.url ?? this.url;
  }
}
