import { createHash, hash } from 'node:crypto';

/** 132 bits of SHA-256, enough to rule out collisions here. Text needs no dialect-specific column type. */
export const DIGEST_LENGTH = 22;

export function digestOf(text: string | Buffer): string {
  return hash('sha256', text, 'base64url').slice(0, DIGEST_LENGTH);
}

/** The digest of a text given in parts. */
export class DigestInParts {
  private readonly sha = createHash('sha256');

  add(part: Buffer): void {
    this.sha.update(part);
  }

  finish(): string {
    return this.sha.digest('base64url').slice(0, DIGEST_LENGTH);
  }
}

/** Identifies tool calls that wait for a person, by the exact text of the reported array. */
export function callsDigestOf(text: string): string {
  return digestOf(`calls:${text}`);
}
