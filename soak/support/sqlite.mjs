import sqlite3 from 'sqlite3';

/** SQLite's verdict on a file without a server: `ok`, or its fault. @param {string} file @returns {Promise<string>} */
export async function integrityOf(file) {
  const intruder = await Intruder.open(file);
  try {
    const rows = await intruder.all('PRAGMA integrity_check');
    return rows.map((row) => row.integrity_check).join('; ');
  } finally {
    await intruder.close();
  }
}

/** Another program that has the file open. */
export class Intruder {
  /** Use `open`. */
  constructor(database) {
    this.database = database;
  }

  static open(file) {
    return new Promise((resolve, reject) => {
      const database = new sqlite3.Database(file, sqlite3.OPEN_READWRITE, (error) =>
        error ? reject(error) : resolve(new Intruder(database)),
      );
    });
  }

  /** @param {string} sql @returns {Promise<Record<string, any>[]>} */
  all(sql) {
    return new Promise((resolve, reject) => {
      this.database.all(sql, (error, rows) => (error ? reject(error) : resolve(rows)));
    });
  }

  close() {
    return new Promise((resolve, reject) => this.database.close((error) => (error ? reject(error) : resolve())));
  }
}
