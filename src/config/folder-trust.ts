import { findServer } from '../common/server-record.js';
import { ApiAddress, DEFAULT_API_URL } from '../common/api-address.js';
import { defaultHome } from '../common/user-home.js';
import type { ClientConfig } from './client.config.js';
import type { EnvReader } from './env-reader.js';

// The `.env` of the working directory is untrusted: it may come with a cloned repository. A token goes to an address from the file only if
// the token is from there, too. Any other token is sent where it would be without the file.

/** A process's server and token. */
export type Access = Pick<ClientConfig, 'apiUrl' | 'isApiUrlGiven' | 'isAddressFromFile' | 'home' | 'token'>;

/** Whether a token from elsewhere would be sent to an address from the file. */
export function wouldLeakToken(access: Access, reader: EnvReader): boolean {
  if (!access.isAddressFromFile || isTokenOfFile(access, reader)) return false;
  const isSecretOfHome = isHomesSecret(access, reader);
  if (isSecretOfHome && !access.isApiUrlGiven) return false;
  const home = isSecretOfHome ? access.home : ownHome(access, reader);
  return originOf(access.apiUrl) !== originOf(home === null ? DEFAULT_API_URL : ApiAddress.ofHome(home).current);
}

/**
 * The page that links lead to. A link's code carries the permissions of the token, so only the source of the token may name the page.
 * @param given `WAYSTATION_PUBLIC_URL`
 */
export function publicUrlOf(access: Access, given: string | null, reader: EnvReader): string | null {
  const isFilesToken = isTokenOfFile(access, reader);
  const mayFileNamePage = access.isAddressFromFile && isFilesToken;
  if (given !== null && (!reader.isOfFile('WAYSTATION_PUBLIC_URL') || mayFileNamePage)) return given;
  if (access.isApiUrlGiven) return null;
  if (access.isAddressFromFile && !isFilesToken && !isHomesSecret(access, reader)) return null;
  return findServer(access.home)?.public_url ?? null;
}

function isTokenOfFile({ token }: Access, reader: EnvReader): boolean {
  return token !== null && reader.isOfFile('WAYSTATION_TOKEN');
}

/** Whether the token is the machine secret in the home directory, wherever the directory's name comes from. */
function isHomesSecret({ token }: Access, reader: EnvReader): boolean {
  return token === null && reader.text('WAYSTATION_SECRET_FILE', null) === null;
}

/** Null for a user who has none. */
function ownHome({ home }: Access, reader: EnvReader): string | null {
  return reader.isOfFile('WAYSTATION_HOME') ? defaultHome() : home;
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url;
}
