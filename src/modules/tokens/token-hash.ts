import { hash } from 'node:crypto';

/** Digest under which a token is kept. */
export function tokenHash(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
