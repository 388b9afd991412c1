import type { Command } from 'commander';
import { loadConfig } from '../config/env.js';
import type { Terminal } from './terminal.js';

/** `waystation migrate`. */
export function addMigrateCommand(program: Command, terminal: Terminal): void {
  program
    .command('migrate')
    .description('migrate the database, as `serve` also does at start')
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
