import { findServer } from '../common/server-record.js';
import type { ClientConfig } from './client.config.js';
import { isLoopbackUrl } from './loopback.js';

// The `.env` of the working directory may be anybody's, such as that of a repository which somebody else wrote.

/** Whether the file would send a token that it does not hold to another machine. */
export function isTokenMisled(client: ClientConfig, inFile: ReadonlySet<string>): boolean {
  const isItsOwn = client.token === null || inFile.has('WAYSTATION_TOKEN');
  return client.isAddressFromFile && !isItsOwn && !isLoopbackUrl(client.apiUrl);
}

/**
 * The page to which links lead. A link holds a code that signs in, so a file that does not name the server must not name the page either.
 * @param given `WAYSTATION_PUBLIC_URL`
 */
export function publicUrlOf(client: ClientConfig, given: string | null, inFile: ReadonlySet<string>): string | null {
  const isTrusted = !inFile.has('WAYSTATION_PUBLIC_URL') || (client.isApiUrlGiven && client.isAddressFromFile);
  if (given !== null && isTrusted) return given;
  return client.isApiUrlGiven ? null : (findServer(client.home)?.public_url ?? null);
}
