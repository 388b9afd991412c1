import { stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { DatabaseConfig } from '../../../config/database.config.js';
import { Database } from '../../../database/database.js';

/** Bytes of a file system. */
export interface DiskSpace {
  free: number;
  total: number;
}

@Injectable()
export class SystemRepository {
  constructor(
    private readonly database: Database,
    private readonly config: DatabaseConfig,
  ) {}

  /** Bytes: of SQLite's file with its log, or of the whole PostgreSQL database. */
  async sizeBytes(): Promise<number> {
    if (this.database.dialect === 'sqlite') {
      const sizes = await Promise.all([this.config.sqlitePath, `${this.config.sqlitePath}-wal`].map(sizeOf));
      return sizes.reduce((sum, size) => sum + size);
    }
    const [row] = await this.database.read<{ size: number }>('SELECT pg_database_size(current_database()) AS size');
    return Number(row!.size);
  }

  /** The file system of SQLite's file; null for PostgreSQL. */
  async disk(): Promise<DiskSpace | null> {
    if (this.database.dialect === 'postgres') return null;
    const { bavail, blocks, bsize } = await statfs(path.dirname(this.config.sqlitePath));
    return { free: bavail * bsize, total: blocks * bsize };
  }
}

function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}
