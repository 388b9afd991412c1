import { randomBytes } from 'node:crypto';
import { link, open, rename, rm, unlink } from 'node:fs/promises';
import path from 'node:path';
import { DomainError } from '../../common/domain-error.js';
import { errorCode } from '../../common/error-code.js';
import { makeFolder } from '../../common/make-folder.js';

const FILE_EXISTS = 'file_exists';
/** Errors of file systems without links: memory sticks, shares. */
const WITHOUT_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/**
 * Creates a file, mode 0600, that appears under its name only when it is complete and on disk.
 * @param write fills the existing, empty draft
 * @throws DomainError `file_exists` if the name is taken and `overwrite` is false; whatever `write` throws. Then nothing is left.
 */
export async function writeDurably(
  file: string,
  overwrite: boolean,
  write: (draft: string) => Promise<void>,
): Promise<void> {
  makeFolder(path.dirname(file), 0o700);
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}.partial`;
  try {
    await (await open(draft, 'wx', 0o600)).close();
    await write(draft);
    await syncToDisk(draft);
    await publish(draft, file, overwrite);
  } finally {
    for (const end of ['', '-journal', '-wal', '-shm']) await rm(`${draft}${end}`, { force: true });
  }
  await syncFolder(path.dirname(file));
}

/** Replaces a file with a finished one, atomically and durably. */
export async function replaceFile(draft: string, file: string): Promise<void> {
  await syncToDisk(draft);
  await rename(draft, file);
  await syncFolder(path.dirname(file));
}

/** A link fails if the name is taken, so that two simultaneous backups cannot overwrite each other. */
async function publish(draft: string, file: string, overwrite: boolean): Promise<void> {
  if (overwrite) return rename(draft, file);
  try {
    await takeName(draft, file);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw fileExists(file);
    throw error;
  }
}

async function takeName(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file);
    await unlink(draft);
  } catch (error) {
    if (!WITHOUT_LINKS.has(String(errorCode(error)))) throw error;
    await (await open(file, 'wx', 0o600)).close(); // also fails if the name is taken
    await rename(draft, file);
  }
}

export function fileExists(file: string): DomainError {
  return new DomainError('conflict', FILE_EXISTS, `${file} already exists; --force replaces it.`);
}

export function isFileExists(error: unknown): boolean {
  return error instanceof DomainError && error.code === FILE_EXISTS;
}

/** Windows cannot open folders, and needs no sync for names. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform !== 'win32') await syncToDisk(folder);
}

async function syncToDisk(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
