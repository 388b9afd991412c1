import sqlite3 from 'sqlite3';

/** SQLite's integrity check of a file that no server has open: `ok`, or the errors. */
export async function integrityOf(file: string): Promise<string> {
  const rows = await query<{ integrity_check: string }>(file, 'PRAGMA integrity_check');
  return rows.map((row) => row.integrity_check).join('; ');
}

/** Moves the write-ahead log into the file, so that the file's size shows what is stored. */
export async function checkpointWal(file: string): Promise<void> {
  await query(file, 'PRAGMA wal_checkpoint(TRUNCATE)');
}

function query<T>(file: string, sql: string): Promise<T[]> {
  return new Promise((resolve, reject) => {
    const database = new sqlite3.Database(file, (openError) => {
      if (openError) return reject(openError);
      database.all<T>(sql, (error, rows) => database.close(() => (error ? reject(error) : resolve(rows))));
    });
  });
}

/** Changes a file that no server has open. */
export async function execute(file: string, sql: string): Promise<void> {
  await query(file, sql);
}
