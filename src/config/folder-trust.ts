import { findServer } from '../common/server-record.js';
import type { ClientConfig } from './client.config.js';
import { isLoopbackUrl } from './loopback.js';

// The `.env` of the working directory may be anybody's, such as that of a repository which somebody else wrote.

/** Whether the file would send a token that it does not hold to another machine. */
export function isTokenMisled(client: ClientConfig, inFile: ReadonlySet<string>): boolean {
  const isItsOwn = client.token === null || inFile.has('WAYSTATION_TOKEN');
  return client.isAddressFromFile && !isItsOwn && !isLoopbackUrl(client.apiUrl);
}

/** What may name the page of the console. */
export interface PageSource {
  /** `WAYSTATION_PUBLIC_URL`. */
  given: string | null;
  /** Whether the machine secret is that of the home directory, not one that `WAYSTATION_SECRET_FILE` names. */
  isSecretOfHome: boolean;
}

/**
 * The page to which links lead. A link holds a code with the rights of who signs in: only who holds the token may name the page, so a
 * file counts together with its own token, or with the secret of its own home directory.
 */
export function publicUrlOf(
  client: ClientConfig,
  { given, isSecretOfHome }: PageSource,
  inFile: ReadonlySet<string>,
): string | null {
  const isHomesToken = client.token === null && !client.isApiUrlGiven && isSecretOfHome;
  const isFilesToken = client.isAddressFromFile && (inFile.has('WAYSTATION_TOKEN') || isHomesToken);
  if (given !== null && (!inFile.has('WAYSTATION_PUBLIC_URL') || isFilesToken)) return given;
  if (client.isApiUrlGiven || (client.isAddressFromFile && !isFilesToken)) return null;
  return findServer(client.home)?.public_url ?? null;
}
