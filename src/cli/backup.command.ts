import path from 'node:path';
import type { Command } from 'commander';
import { apiSecretFile } from '../config/api-secret.js';
import { loadConfig } from '../config/env.js';
import type { Terminal } from './terminal.js';

interface ForceOption {
  force?: boolean;
}

/** `waystation backup` and `waystation restore`. */
export function addBackupCommands(program: Command, terminal: Terminal): void {
  program
    .command('backup')
    .description('write everything that is stored into one file, also while servers run')
    .argument('<file>', 'where to; mode 0600')
    .option('--force', 'replace the file if it exists')
    .action(async (file: string, { force }: ForceOption) => backUp(path.resolve(file), force === true, terminal));
  program
    .command('restore')
    .description('put a backup in the place of everything that is stored; stop all servers first')
    .argument('<file>', 'a file that `waystation backup` has made')
    .option('--force', 'also where something is stored already, which is lost')
    .action(async (file: string, { force }: ForceOption) => restore(path.resolve(file), force === true, terminal));
}

async function backUp(file: string, force: boolean, terminal: Terminal): Promise<void> {
  const config = loadConfig();
  const { backUpStorage } = await import('../database/backup/storage-backup.js');
  const bytes = await backUpStorage(config.database, file, { tables: await storedTables(), force });
  terminal.print(`saved and checked  ${file}  ${(bytes / 1024 ** 2).toFixed(1)} MiB`);
  terminal.complain(
    `The machine secret is not in it. Keep ${apiSecretFile(config)} apart from the backup: what is sealed with it (invoke tokens
of agents, secrets of channels) opens with no other.`,
  );
}

async function restore(file: string, force: boolean, terminal: Terminal): Promise<void> {
  const config = loadConfig();
  const { restoreStorage } = await import('../database/backup/storage-backup.js');
  const newer = await restoreStorage(config.database, file, { tables: await storedTables(), force });
  for (const name of newer) terminal.print(`applied  ${name}`);
  terminal.print(`restored  ${file}`);
  terminal.complain(
    `${apiSecretFile(config)} must hold the machine secret of then: a server on PostgreSQL starts with no other, and what is
sealed with it (invoke tokens of agents, secrets of channels) opens with no other.`,
  );
}

/** The entities bring TypeORM with them, for which the other commands need not wait. */
async function storedTables(): Promise<string[]> {
  const { ENTITIES } = await import('../entities.js');
  const { tableNamesOf } = await import('../database/table-names.js');
  return tableNamesOf(ENTITIES);
}
