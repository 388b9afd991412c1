import { Database, type PreparedScript, type SqlReader } from '../../src/database/database.js';
import type { InProcessApp } from './in-process-app.js';

/** Queries and statements of journal transactions. */
export interface JournalStatements {
  asked: string[];
  written: string[];
}

/** Watches an application's journal; the returned function runs some work and returns its statements. */
export function journalStatements({ app }: InProcessApp): (work: () => Promise<unknown>) => Promise<JournalStatements> {
  let heard: JournalStatements = { asked: [], written: [] };
  const database = app.get(Database, { strict: false });
  const commit = database.commitScript.bind(database);
  database.commitScript = <T>(prepare: (reader: SqlReader) => Promise<PreparedScript<T>>, options?: object) =>
    commit(async (reader) => {
      const query = <R extends object>(sql: string, params?: readonly never[]) => {
        heard.asked.push(sql);
        return reader.query<R>(sql, params);
      };
      const { script, result } = await prepare({ query });
      const parts = [...(script ?? [])];
      heard.written.push(...parts.map((part) => (typeof part === 'string' ? part : part.sql)));
      return { script: parts.length === 0 ? null : parts, result };
    }, options);
  return async (work) => {
    heard = { asked: [], written: [] };
    await work();
    return heard;
  };
}
