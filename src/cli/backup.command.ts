import path from 'node:path';
import type { Command } from 'commander';
import { apiSecretFile } from '../config/api-secret.js';
import { loadConfig } from '../config/env.js';
import { byteSize } from './amounts.js';
import type { Terminal } from './terminal.js';

interface BackupOptions {
  force?: boolean;
  json?: boolean;
}

/** `waystation backup` and `waystation restore`. */
export function addBackupCommands(program: Command, terminal: Terminal): void {
  program
    .command('backup')
    .description('back up SQLite to one file, even while servers run')
    .argument('<file>', 'the file to write, with mode 0600')
    .option('--force', 'replace the file if it exists')
    .option('--json', 'print JSON')
    .action(async (file: string, options: BackupOptions) => backUp(path.resolve(file), options, terminal));
  program
    .command('restore')
    .description('replace SQLite with a backup; stop all servers first')
    .argument('<file>', 'a file from `waystation backup`')
    .option('--force', 'replace existing data, which is lost')
    .option('--json', 'print JSON')
    .action(async (file: string, options: BackupOptions) => restore(path.resolve(file), options, terminal));
}

async function backUp(file: string, { force = false, json }: BackupOptions, terminal: Terminal): Promise<void> {
  const config = loadConfig();
  const { backUpStorage } = await import('../database/backup/storage-backup.js');
  const bytes = await backUpStorage(config.database, file, { force });
  if (json) terminal.print(JSON.stringify({ file, bytes }));
  else terminal.print(`saved and checked  ${file}  ${byteSize(bytes)}`);
  terminal.printError(
    `The backup does not contain the machine secret. Keep ${apiSecretFile(config)} as well, in another place:
without it nobody can decrypt the invoke tokens of agents and the secrets of channels.`,
  );
}

async function restore(file: string, { force = false, json }: BackupOptions, terminal: Terminal): Promise<void> {
  const config = loadConfig();
  const { restoreStorage } = await import('../database/backup/storage-backup.js');
  const newer = await restoreStorage(config.database, file, { tables: await storedTables(), force });
  if (json) terminal.print(JSON.stringify({ file, applied: newer }));
  else for (const line of [...newer.map((name) => `applied  ${name}`), `restored  ${file}`]) terminal.print(line);
  terminal.printError(
    `${apiSecretFile(config)} must hold the machine secret from the time of the backup:
without it nobody can decrypt the invoke tokens of agents and the secrets of channels.`,
  );
}

/** Imported here because the entities load TypeORM, which other commands do not need. */
async function storedTables(): Promise<string[]> {
  const { ENTITIES } = await import('../entities.js');
  const { tableNamesOf } = await import('../database/table-names.js');
  return tableNamesOf(ENTITIES);
}
