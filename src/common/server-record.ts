import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from './error-code.js';
import { makeFolder } from './make-folder.js';
import { startOf } from './process-start.js';

/** A running server's description of itself in `WAYSTATION_HOME/run/server.json`. Contains no secret. */
export interface ServerRecord {
  /** Base address for callers on this machine, without a trailing slash. */
  url: string;
  /** The origin under which people reach the server, without a trailing slash; null if that is `url`. */
  public_url: string | null;
  pid: number;
  /** Distinguishes the process from a later one with the same pid; null if the system does not say. */
  process_start: string | null;
  /** ISO 8601, UTC. */
  started_at: string;
  version: string;
  /** Path of the SQLite file; null for PostgreSQL. */
  database: string | null;
  /** Identifies the storage; null in the record of an older server. */
  storage: string | null;
}

/** Others may pass through the folder, which containers mount for the socket, but can neither list it nor read the file. */
const FOLDER_MODE = 0o711;
const FILE_MODE = 0o600;
const MAX_BYTES = 64 * 1024;

export function serverRecordFile(home: string): string {
  return path.join(home, 'run', 'server.json');
}

/**
 * The server that runs in this home directory. Null if there is none or its process has ended, even if its pid is another process's now.
 * A server found may still not answer.
 */
export function findServer(home: string): ServerRecord | null {
  const record = readRecord(serverRecordFile(home));
  return record !== null && isItsProcess(record) ? record : null;
}

/** Records where this process listens, replacing a killed server's record. */
export function writeServerRecord(
  home: string,
  server: Pick<ServerRecord, 'url' | 'public_url' | 'version' | 'database' | 'storage'>,
): void {
  const { pid } = process;
  const record: ServerRecord = {
    url: server.url,
    public_url: server.public_url,
    pid,
    process_start: startOf(pid),
    started_at: new Date().toISOString(),
    version: server.version,
    database: server.database,
    storage: server.storage,
  };
  const file = serverRecordFile(home);
  const draft = `${file}.${randomBytes(4).toString('hex')}`;
  makeFolder(path.dirname(file), FOLDER_MODE);
  try {
    writeFileSync(draft, `${JSON.stringify(record, null, 2)}\n`, { mode: FILE_MODE, flag: 'wx' });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Removes this process's record; another server's stays. */
export function removeServerRecord(home: string): void {
  const file = serverRecordFile(home);
  if (readRecord(file)?.pid === process.pid) rmSync(file, { force: true });
}

function readRecord(file: string): ServerRecord | null {
  try {
    const found = statSync(file);
    // In somebody else's folder it may be a link to an endless device.
    if (!found.isFile() || found.size > MAX_BYTES) return null;
    const record = JSON.parse(readFileSync(file, 'utf8')) as Partial<ServerRecord> | null;
    const { url, public_url = null, storage = null, pid, started_at, process_start = null } = record ?? {};
    const isWhole =
      isHttpUrl(url) &&
      (public_url === null || isHttpUrl(public_url)) &&
      Number.isInteger(pid) &&
      typeof started_at === 'string';
    return isWhole ? ({ ...record, public_url, storage, process_start } as ServerRecord) : null;
  } catch {
    return null;
  }
}

function isHttpUrl(url: unknown): boolean {
  return typeof url === 'string' && URL.canParse(url) && /^https?:\/\/[\x21-\x7e]+$/.test(url);
}

function isItsProcess({ pid, process_start }: ServerRecord): boolean {
  const start = startOf(pid);
  if (process_start !== null && start !== null) return start === process_start;
  return isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
