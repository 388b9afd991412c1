import path from 'node:path';

/**
 * The Unix socket of the API server with this home directory. Containers mount its folder: a restarted server creates a new socket, and
 * a mounted file would remain the old one.
 */
export function apiSocketFile(home: string): string {
  return path.join(home, 'run', 'api.sock');
}
