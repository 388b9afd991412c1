import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { errorCode } from '../../common/error-code.js';
import { writeDurably } from './durable-file.js';

/**
 * SQLite's own check finds a broken structure, not changed bytes. So a checksum is stored beside the file, in the format of `sha256sum`.
 */
export async function writeChecksum(file: string): Promise<void> {
  const line = `${await sha256Of(file)}  ${path.basename(file)}\n`;
  await writeDurably(checksumFileOf(file), true, (draft) => writeFile(draft, line));
}

/** Call this before replacing the file: a crash must not leave another file's checksum. */
export async function removeChecksum(file: string): Promise<void> {
  await rm(checksumFileOf(file), { force: true });
}

/** Whether the file matches the checksum beside it; null if there is none. */
export async function isAsWritten(file: string): Promise<boolean | null> {
  const line = await readFile(checksumFileOf(file), 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  return line === null ? null : line.split(' ')[0] === (await sha256Of(file));
}

function checksumFileOf(file: string): string {
  return `${file}.sha256`;
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
