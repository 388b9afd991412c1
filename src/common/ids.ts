import { randomBytes, randomUUID } from 'node:crypto';

/** A new identifier that nobody can guess and no other instance creates. */
export function newId(): string {
  return randomUUID();
}

/** `bytes` random bytes in base64url, for tokens and other secrets: 32 bytes give 43 characters. */
export function randomText(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}
