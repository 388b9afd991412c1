import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeFolder } from '../common/make-folder.js';

/** Others may pass through the folder, for the socket of containers; they cannot list it, nor read the file. */
const FOLDER_MODE = 0o711;
const FILE_MODE = 0o600;
const NAME = /^open-[0-9a-f]{16}\.html$/;

/**
 * A page in the home directory that leads to the address. A browser is started with its name, because every user of this machine can read
 * the arguments of a program, and would be faster with the code in them than any browser. Removes those of earlier calls.
 * @param keptMs how long a browser may take to read one
 * @returns its `file:` URL
 */
export function writeRedirectFile(home: string, url: string, keptMs: number): string {
  const folder = path.join(home, 'run');
  makeFolder(folder, FOLDER_MODE);
  for (const name of readdirSync(folder).filter((one) => NAME.test(one))) removeOld(path.join(folder, name), keptMs);
  const file = path.join(folder, `open-${randomBytes(8).toString('hex')}.html`);
  const target = encodeURI(url).replaceAll("'", '%27').replaceAll('&', '&amp;');
  const page = `<!doctype html><meta charset="utf-8"><title>Waystation</title>
<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${target}">
`;
  writeFileSync(file, page, { mode: FILE_MODE, flag: 'wx' });
  return pathToFileURL(file).href;
}

function removeOld(file: string, keptMs: number): void {
  const { mtimeMs = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {};
  if (Date.now() - mtimeMs > keptMs) rmSync(file, { force: true });
}
