import { randomBytes } from 'node:crypto';
import { chmodSync, renameSync, statSync, unlinkSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { errorCode } from '../common/error-code.js';
import { makeFolder } from '../common/make-folder.js';
import type { Logger } from '../common/logger.js';
import type { ApiHttpAdapter } from './api-http.adapter.js';

/** Room in `sun_path` without the final zero (unix(7)). */
const MAX_PATH_BYTES = 107;
/** Others need no access to the rest of the home. */
const HOME_MODE = 0o700;
/** Others may pass through the folder, but not list it. */
const FOLDER_MODE = 0o711;
/** Containers connect as other users. Every client still needs a token, as on the port. */
const SOCKET_MODE = 0o666;

/**
 * A second way to the API server: a Unix socket for containers that cannot reach the machine's loopback address. The server works without
 * it if it cannot be created. Linux only: elsewhere, container engines run in a virtual machine that sockets do not reach.
 */
export class ApiSocket {
  private constructor(
    readonly file: string,
    private readonly inode: number,
  ) {}

  /** Returns null if there can be no socket or another server has it; on Linux, logs why. */
  static async open(adapter: ApiHttpAdapter, file: string, logger: Logger): Promise<ApiSocket | null> {
    if (process.platform !== 'linux') return null;
    if (Buffer.byteLength(file) > MAX_PATH_BYTES) {
      logger.warn({ file, max_bytes: MAX_PATH_BYTES }, 'no socket for containers: its path is too long');
      return null;
    }
    try {
      const socket = await ApiSocket.listen(adapter, file);
      if (socket === null) logger.warn({ file }, 'no socket for containers: another server has it');
      return socket;
    } catch (error) {
      logger.warn({ err: error, file }, 'no socket for containers');
      return null;
    }
  }

  /** Removes the name, unless it belongs to another server by now. The adapter closes the rest. */
  close(): void {
    try {
      if (statSync(this.file).ino === this.inode) unlinkSync(this.file);
    } catch {
      // It is already gone or unreachable.
    }
  }

  private static async listen(adapter: ApiHttpAdapter, file: string): Promise<ApiSocket | null> {
    const folder = path.dirname(file);
    makeFolder(path.dirname(folder), HOME_MODE);
    makeFolder(folder);
    chmodSync(folder, FOLDER_MODE);
    if (await isAlive(file)) return null;
    // Renamed once it is ready, which replaces a crashed server's socket. If several servers start at once, the last one keeps the name.
    // They share this home and its secret, so any of them can serve the containers.
    const draft = draftBeside(file);
    await adapter.listenOnPath(draft);
    chmodSync(draft, SOCKET_MODE);
    const { ino } = statSync(draft);
    renameSync(draft, file);
    return new ApiSocket(file, ino);
  }
}

function isAlive(file: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(file);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', (error) => {
      resolve(!['ENOENT', 'ECONNREFUSED', 'ENOTSOCK'].includes(errorCode(error) ?? ''));
    });
  });
}

/** As long as `api.sock`, so that it also fits into `sun_path`. */
function draftBeside(file: string): string {
  return path.join(path.dirname(file), `.${randomBytes(4).toString('hex').slice(0, 7)}`);
}
