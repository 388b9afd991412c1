import { hash, timingSafeEqual } from 'node:crypto';

/** Compares in a time that tells nothing of where texts differ, nor of their lengths: both sides are hashed first. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'));
}
