import path from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import { loadConfig, loadConfigWith } from '../config/env.js';
import { CliError } from './cli-error.js';
import type { Terminal } from './terminal.js';

interface TransferOptions {
  from?: string;
  to?: string;
  restart?: boolean;
  json?: boolean;
}

/** `waystation migrate`. */
export function addMigrateCommand(program: Command, terminal: Terminal): void {
  program
    .command('migrate')
    .description('migrate the database, as `serve` does at start')
    .option('--down', 'revert the newest migration instead, with its data')
    .option('--json', 'print JSON')
    .action(async ({ down, json }: { down?: boolean; json?: boolean }) => {
      const { migrateDown, migrateUp } = await import('../database/migrator.js');
      const { database } = loadConfig();
      const names = down ? [await migrateDown(database)].filter((name) => name !== null) : await migrateUp(database);
      if (json) return terminal.print(JSON.stringify({ [down ? 'reverted' : 'applied']: names }));
      for (const name of names) terminal.print(`${down ? 'reverted' : 'applied'}  ${name}`);
      if (names.length === 0) terminal.print(down ? 'There is nothing to revert.' : 'The database is up to date.');
    });
}

/** `waystation migrate-data`. */
export function addMigrateDataCommand(program: Command, terminal: Terminal): void {
  program
    .command('migrate-data')
    .description('move everything from SQLite to an empty PostgreSQL')
    .option('--from <source>', 'sqlite:PATH; default: the database of this user', parseSource)
    .option('--to <url>', 'postgres://...; prefer DATABASE_URL, which others on this machine cannot see')
    .option('--restart', 'discard an unfinished transfer, and start over')
    .option('--json', 'print JSON at the end, and the progress to standard error')
    .action(async (options: TransferOptions) => move(options, terminal));
}

async function move({ from, to, restart, json }: TransferOptions, terminal: Terminal): Promise<void> {
  const { url, isUrlFromFile } = loadConfigWith({ DATABASE_URL: to }).database;
  // The author of a file could otherwise divert all data to a database of their own.
  if (url === null || isUrlFromFile) throw new CliError('Set DATABASE_URL to the target, in the environment.');
  const sqlitePath = from ?? loadConfig().database.sqlitePath;
  const { moveToPostgres } = await import('../database/transfer/transfer.js');
  const { ENTITIES } = await import('../entities.js');
  const { tableNamesOf } = await import('../database/table-names.js');
  const { rows } = await moveToPostgres({
    sqlitePath,
    url,
    tables: tableNamesOf(ENTITIES),
    restart: restart === true,
    report: (line) => (json ? terminal.printError(line) : terminal.print(line)),
  });
  terminal.print(json ? JSON.stringify({ file: sqlitePath, rows }) : 'Everything has been moved and compared.');
  terminal.printError(
    `Start the servers with DATABASE_URL and the same machine secret (WAYSTATION_SECRET_FILE). Keep ${sqlitePath} until you are sure.`,
  );
}

function parseSource(text: string): string {
  const found = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(text)?.[1];
  if (found === undefined) throw new InvalidArgumentError('It must be sqlite: followed by the path of the file.');
  return path.resolve(found);
}
