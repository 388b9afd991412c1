import path from 'node:path';

/**
 * The Unix socket of the API server with this home directory. It has a folder of its own, which containers get as a whole: a server that
 * starts again makes a new socket, and a mounted file would stay the old one.
 */
export function apiSocketFile(home: string): string {
  return path.join(home, 'run', 'api.sock');
}
