import type { Command } from 'commander';
import { loadConfig } from '../config/env.js';
import type { Terminal } from './terminal.js';

/** `waystation migrate`. */
export function addMigrateCommand(program: Command, terminal: Terminal): void {
  program
    .command('migrate')
    .description('bring the database up to date, which `serve` also does by itself')
    .option('--down', 'take back the newest migration instead, with the data that it brought')
    .action(async ({ down }: { down?: boolean }) => {
      const { migrateDown, migrateUp } = await import('../database/migrator.js');
      const { database } = loadConfig();
      const names = down ? [await migrateDown(database)].filter((name) => name !== null) : await migrateUp(database);
      for (const name of names) terminal.print(`${down ? 'taken back' : 'applied'}  ${name}`);
      if (names.length === 0) terminal.print(down ? 'There is nothing to take back.' : 'The database is up to date.');
    });
}
