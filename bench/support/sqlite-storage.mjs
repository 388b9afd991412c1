import { statSync, existsSync } from 'node:fs';
import path from 'node:path';
import sqlite3 from 'sqlite3';

/** SQLite in the server's own process: `waystation.db` in its home folder. */
export class SqliteStorage {
  /** @param {string} home */
  constructor(home) {
    this.file = path.join(home, 'waystation.db');
    this.env = {};
  }

  /** @returns {number} NaN: its work is part of the server's */
  cpuMs() {
    return Number.NaN;
  }

  /** Call it when the server has stopped. @returns {Promise<number>} bytes of the file with the write-ahead log merged */
  async diskBytes() {
    await execute(this.file, 'PRAGMA wal_checkpoint(TRUNCATE)');
    const parts = [this.file, `${this.file}-wal`].filter((file) => existsSync(file));
    return parts.reduce((sum, file) => sum + statSync(file).size, 0);
  }

  async settle() {}

  async drop() {}
}

function execute(file, sql) {
  return new Promise((resolve, reject) => {
    const database = new sqlite3.Database(file, sqlite3.OPEN_READWRITE, (openError) => {
      if (openError) return reject(openError);
      return database.exec(sql, (error) =>
        database.close((closeError) => ((error ?? closeError) ? reject(error ?? closeError) : resolve())),
      );
    });
  });
}
