import { trimEndOf } from '../../../common/trim-end.js';

const PLAIN_PATH = /^\/[^\s?#\\]*$/;

/** The process's own paths on each port. */
const TAKEN = /^\/(?:health|invoke(?:\/[^/]+)?|agents\/[^/]+\/invoke)$/;

export function endpointFault(endpoint: string): string | null {
  if (!endpoint.startsWith('/')) return 'must begin with a slash';

  if (!PLAIN_PATH.test(endpoint) || /[\u0000-\u001f\u007f]/.test(endpoint)) {
    return 'must be only a path: no spaces, no ?, no #';
  }
  const plain = plainPath(endpoint);
  if (plain === null) return 'is not valid percent-encoding';
  return TAKEN.test(plain) ? `${plain} is reserved for the agent process` : null;
}

/**
 * The form in which paths are compared: decoded, without dot segments and trailing slashes.
 * Null for an invalid path.
 */
export function plainPath(path: string): string | null {
  try {
    const { pathname } = new URL(`http://localhost${path}`);
    return trimEndOf(decodeURIComponent(pathname), '/') || '/';
  } catch {
    return null;
  }
}
