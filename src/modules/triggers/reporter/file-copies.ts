import { createHash, randomUUID } from 'node:crypto';
import { constants, renameSync, rmSync, type Stats } from 'node:fs';
import { lstat, open, readdir, rm, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../../common/error-code.js';
import { makeFolder } from '../../../common/make-folder.js';

/** Bytes per file: platforms accept no more. */
const MAX_FILE_BYTES = 50 * 1024 * 1024;
/** Bytes of all waiting files. */
const MAX_ALL_BYTES = 512 * 1024 * 1024;
const PIECE_BYTES = 256 * 1024;
const DIGEST = /^[0-9a-f]{64}$/;

/** A file that waits, by its SHA-256 in hexadecimal. */
export interface FileCopy {
  digest: string;
  sizeBytes: number;
}

/** Why a file was refused, for the program's author. */
export class FileRefused extends Error {}

/** Copies of attached files, stored in this process's state under their digests until the API has them. */
export class FileCopies {
  /** Copies whose events are not stored yet, with the number of such events. */
  private readonly held = new Map<string, number>();
  /** For each running search for needed copies: those held since it began, whose events its result may lack. */
  private readonly heldSince = new Set<Set<string>>();
  /** Names of unfinished copies. */
  private readonly begun = new Set<string>();

  /** @param folder created for the first copy */
  constructor(private readonly folder: string) {}

  /**
   * Copies a file durably; call `release` once its event is stored. Accepts only a plain file in the run's own folder, so that a program
   * that was talked into another path reveals nothing.
   * @param name as the program gives it
   * @throws FileRefused; errors of `node:fs`
   */
  async take(runFolder: string, name: string): Promise<FileCopy> {
    if (name === '' || name === '.' || name === '..' || /[/\\\0]/.test(name)) {
      throw new FileRefused('path must be the name of a file in WAYSTATION_RUN_DIR');
    }
    if (!(await lstat(runFolder)).isDirectory()) throw new FileRefused('WAYSTATION_RUN_DIR is no folder any more');
    const source = await openPlain(path.join(runFolder, name));
    try {
      await this.assertRoom((await source.stat()).size);
      return await this.copy(source);
    } finally {
      await source.close();
    }
  }

  /** From now on the stored event decides whether the copy is needed. */
  release({ digest }: FileCopy): void {
    const count = (this.held.get(digest) ?? 0) - 1;
    if (count > 0) this.held.set(digest, count);
    else this.held.delete(digest);
  }

  /** @throws as `node:fs` if there is no such copy */
  open(digest: string): Promise<FileHandle> {
    return open(this.pathOf(digest), 'r');
  }

  /**
   * Removes the copies that no event needs.
   * @param findNeeded returns the digests of waiting events
   * @param digests the only ones to check; null for all, including those that a killed process left
   */
  async removeUnneeded(
    findNeeded: () => Promise<ReadonlySet<string>>,
    digests: readonly string[] | null = null,
  ): Promise<void> {
    const held = new Set(this.held.keys());
    this.heldSince.add(held);
    try {
      const names = digests ?? (await this.names());
      if (names.length === 0) return;
      const needed = await findNeeded();
      for (const name of names) {
        if (needed.has(name) || held.has(name) || this.begun.has(name)) continue;
        // Synchronous: nobody may begin to need it between the check and the removal.
        rmSync(path.join(this.folder, name), { force: true });
      }
    } finally {
      this.heldSince.delete(held);
    }
  }

  private async copy(source: FileHandle): Promise<FileCopy> {
    makeFolder(this.folder, 0o700);
    const name = `${randomUUID()}.part`;
    this.begun.add(name);
    try {
      return await this.copyTo(path.join(this.folder, name), source);
    } finally {
      this.begun.delete(name);
    }
  }

  private async copyTo(temporary: string, source: FileHandle): Promise<FileCopy> {
    const target = await open(temporary, 'wx', 0o600);
    try {
      const copied = await copyBytes(source, target);
      await target.sync();
      // Synchronous: in between, the name could be taken for that of an unneeded copy.
      renameSync(temporary, this.pathOf(copied.digest));
      this.hold(copied);
      await this.syncOf(copied);
      return copied;
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    } finally {
      await target.close();
    }
  }

  private async syncOf(copied: FileCopy): Promise<void> {
    try {
      await syncFolder(this.folder);
    } catch (error) {
      this.release(copied);
      throw error;
    }
  }

  private hold({ digest }: FileCopy): void {
    this.held.set(digest, (this.held.get(digest) ?? 0) + 1);
    for (const since of this.heldSince) since.add(digest);
  }

  private async assertRoom(sizeBytes: number): Promise<void> {
    let held = sizeBytes;
    for (const name of await this.names()) {
      held += (await stat(path.join(this.folder, name)).catch(() => ({ size: 0 }))).size;
    }
    if (held > MAX_ALL_BYTES)
      throw new FileRefused(`the files that wait for the server are larger than ${MAX_ALL_BYTES} bytes`);
  }

  private names(): Promise<string[]> {
    return readdir(this.folder).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    });
  }

  private pathOf(digest: string): string {
    if (!DIGEST.test(digest)) throw new Error('A copy is named after its SHA-256.');
    return path.join(this.folder, digest);
  }
}

/** Opens a regular file only: no link, and nothing that could block the reader. */
async function openPlain(file: string): Promise<FileHandle> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    const code = errorCode(error);
    if (code === 'ENOENT') throw new FileRefused('there is no such file in WAYSTATION_RUN_DIR');
    if (code === 'ELOOP' || code === 'EMLINK') throw new FileRefused('it is a link');
    if (code === 'ENXIO' || code === 'EACCES' || code === 'ENAMETOOLONG')
      throw new FileRefused(`it cannot be read (${code})`);
    throw error;
  });
  const fault = faultOf(await handle.stat());
  if (fault === null) return handle;
  await handle.close();
  throw new FileRefused(fault);
}

function faultOf(stats: Stats): string | null {
  if (!stats.isFile()) return 'it is no file';
  if (stats.nlink > 1) return 'it is a link';
  if (stats.size === 0) return 'it is empty';
  return stats.size > MAX_FILE_BYTES ? `it is larger than ${MAX_FILE_BYTES} bytes` : null;
}

async function copyBytes(source: FileHandle, target: FileHandle): Promise<FileCopy> {
  const hash = createHash('sha256');
  const piece = Buffer.alloc(PIECE_BYTES);
  for (let sizeBytes = 0; ;) {
    const { bytesRead } = await source.read(piece, 0, PIECE_BYTES, sizeBytes);
    if (bytesRead === 0) return { digest: hash.digest('hex'), sizeBytes };
    sizeBytes += bytesRead;
    if (sizeBytes > MAX_FILE_BYTES) throw new FileRefused(`it is larger than ${MAX_FILE_BYTES} bytes`);
    hash.update(piece.subarray(0, bytesRead));
    await target.write(piece, 0, bytesRead);
  }
}

/** Makes the new name survive a power loss. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
