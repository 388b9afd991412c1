import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { unusableBackup } from './backup.errors.js';

/*
 * The format of a backup of PostgreSQL: JSON lines, compressed with gzip. A header; for each table a line that names it and its
 * columns, then its rows as arrays of texts (PostgreSQL's own, exact) and nulls; at the end what must have been read until then.
 */

export interface BackupHeader {
  format: 'waystation-backup';
  version: 1;
  /** Version of the program that made it. */
  program: string;
  /** Names of the migrations that had run. */
  migrations: string[];
  created_at: string;
}

export interface BackupTable {
  table: string;
  columns: string[];
}

export type BackupRow = (string | null)[];

/** The last number that a column has issued; null if none. */
export interface BackupSequence {
  table: string;
  column: string;
  last: string | null;
}

export interface BackupEnd {
  rows: Record<string, number>;
  sequences: BackupSequence[];
  /** Digest of all lines before this one, with their line ends. */
  sha256: string;
}

export type BackupLine = BackupHeader | BackupTable | BackupEnd | BackupRow;

/** Turns lines into text and keeps their digest for the last one. */
export class BackupLineWriter {
  private readonly hash: Hash = createHash('sha256');

  line(value: BackupHeader | BackupTable | BackupRow): string {
    const text = `${JSON.stringify(value)}\n`;
    this.hash.update(text);
    return text;
  }

  end(end: Omit<BackupEnd, 'sha256'>): string {
    return `${JSON.stringify({ ...end, sha256: this.hash.digest('hex') })}\n`;
  }
}

/**
 * Reads a backup line by line. Only at its end is it certain that the file is complete.
 * @throws DomainError `backup_unusable` as soon as something is wrong or missing
 */
export async function* readBackup(file: string): AsyncGenerator<BackupLine> {
  const hash = createHash('sha256');
  const counts: Record<string, number> = {};
  let table = '';
  let end: BackupEnd | null = null;
  for await (const bytes of linesOf(file)) {
    const line = parse(file, bytes);
    if (end !== null) throw unusableBackup(file, 'it has data after its end');
    if (Array.isArray(line)) counts[table] = (counts[table] ?? 0) + 1;
    else if ('table' in line) counts[(table = line.table)] = 0;
    else if ('sha256' in line) end = line;
    if (end === null) hash.update(bytes).update('\n');
    else if (end.sha256 !== hash.digest('hex'))
      throw unusableBackup(file, 'its checksum does not match, so it is damaged');
    yield line;
  }
  if (end === null) throw unusableBackup(file, 'its end is missing');
  if (JSON.stringify(counts) !== JSON.stringify(end.rows)) throw unusableBackup(file, 'rows are missing');
}

function parse(file: string, bytes: Buffer): BackupLine {
  try {
    return JSON.parse(bytes.toString('utf8')) as BackupLine;
  } catch {
    throw unusableBackup(file, 'it is not a backup of PostgreSQL, or it is damaged');
  }
}

async function* linesOf(file: string): AsyncGenerator<Buffer> {
  const unzipped = createGunzip();
  createReadStream(file)
    .on('error', (error) => unzipped.destroy(error))
    .pipe(unzipped);
  let begun: Buffer[] = [];
  try {
    for await (const chunk of unzipped as AsyncIterable<Buffer>) {
      let from = 0;
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
        yield Buffer.concat([...begun, chunk.subarray(from, at)]);
        begun = [];
        from = at + 1;
      }
      if (from < chunk.length) begun.push(chunk.subarray(from));
    }
  } catch (error) {
    if (String((error as NodeJS.ErrnoException).code).startsWith('Z_')) {
      throw unusableBackup(file, 'it is not a backup of PostgreSQL, or it is damaged');
    }
    throw error;
  }
  if (begun.length > 0) throw unusableBackup(file, 'its end is missing');
}
