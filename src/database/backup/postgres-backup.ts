import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { isoTime } from '../../common/clock.js';
import { VERSION } from '../../common/version.js';
import { BackupLineWriter, readBackup, type BackupSequence } from './backup-lines.js';
import { PostgresTexts } from './postgres-texts.js';
import { lastingTables } from './schema-check.js';

/** Writes a consistent snapshot of the tables into the file, and reads it back. Servers may run. */
export async function backUpPostgres(url: string, tables: readonly string[], file: string): Promise<void> {
  const texts = await PostgresTexts.open(url, 'waystation-backup');
  try {
    const lines = Readable.from(linesOf(texts, lastingTables(tables)));
    await pipeline(lines, createGzip(), createWriteStream(file, { flags: 'w', mode: 0o600 }));
  } finally {
    await texts.close();
  }
  for await (const _line of readBackup(file)); // throws unless it is whole
}

async function* linesOf(texts: PostgresTexts, wanted: readonly string[]): AsyncGenerator<string> {
  const writer = new BackupLineWriter();
  const tables = await texts.beginSnapshot(wanted);
  const migrations = (await texts.query('SELECT name FROM migration ORDER BY id')).map(([name]) => name!);
  const created_at = isoTime(Date.now());
  yield writer.line({ format: 'waystation-backup', version: 1, program: VERSION, migrations, created_at });
  const rows: Record<string, number> = {};
  const sequences: BackupSequence[] = [];
  for (const table of tables) {
    const columns = (await texts.columnsOf(table)).map(({ name }) => name);
    yield writer.line({ table, columns });
    rows[table] = 0;
    for await (const page of texts.pagesOf(table, columns)) {
      rows[table] += page.length;
      yield page.map((row) => writer.line(row)).join('');
    }
    // Later than the snapshot, as sequences know none: so never behind the rows.
    sequences.push(...(await texts.sequencesOf(table)));
  }
  yield writer.end({ rows, sequences });
}
