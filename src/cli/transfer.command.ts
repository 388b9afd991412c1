import type { Command } from 'commander';
import type { Terminal } from './terminal.js';

/** `waystation export` and `waystation import`: one thread as JSON lines. */
export function addTransferCommands(program: Command, terminal: Terminal): void {
  program
    .command('export')
    .description('print everything of a thread as JSON lines, which `waystation import` reads, on any database')
    .argument('<thread>', 'its id, or the beginning of it')
    .action(async (begin: string) => {
      const { exportThread } = await import('./transfer-thread.js');
      await exportThread(begin, terminal);
    });
  program
    .command('import')
    .description('store a thread from `waystation export`; nothing is left of an import that fails')
    .argument('[file]', 'the file; - or nothing for standard input')
    .option('--as <id>', 'another id for the thread')
    .option('--json', 'print JSON')
    .action(async (file: string | undefined, options: { as?: string; json?: boolean }) => {
      const { importThread } = await import('./transfer-thread.js');
      await importThread(file ?? '-', options, terminal);
    });
}
