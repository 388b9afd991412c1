import { createHash, hash } from 'node:crypto';

/** 132 bits of SHA-256: no two texts that ever meet share one. As characters no column type of a dialect is needed. */
const LENGTH = 22;

export function digestOf(text: string | Buffer): string {
  return hash('sha256', text, 'base64url').slice(0, LENGTH);
}

/** The digest of a text that is given bit by bit. */
export class DigestInParts {
  private readonly sha = createHash('sha256');

  add(part: Buffer): void {
    this.sha.update(part);
  }

  finish(): string {
    return this.sha.digest('base64url').slice(0, LENGTH);
  }
}

/** What tells tool calls apart that wait for a person: the exact text of the reported array. */
export function callsDigestOf(text: string): string {
  return digestOf(`calls:${text}`);
}
