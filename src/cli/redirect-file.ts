import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeFolder } from '../common/make-folder.js';

/** Others may pass through the folder to the containers' socket, but can neither list it nor read the file. */
const FOLDER_MODE = 0o711;
const FILE_MODE = 0o600;
const NAME = /^open-[0-9a-f]{16}\.html$/;

/**
 * Writes a page into the home directory that redirects to the address. The browser is started with the page's name: every user of this
 * machine can read a program's arguments, and could use a code in them first. Removes the pages of earlier calls.
 * @param keptMs how long a browser may take to read a page
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
