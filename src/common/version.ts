import { readFileSync } from 'node:fs';

/** The version in package.json, read once. The file lies two folders up both in src and in dist. */
export const VERSION = readVersion();

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return (manifest as { version: string }).version;
}
