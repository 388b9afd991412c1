import type { Command } from 'commander';
import { UsageError } from './cli-error.js';
import { wholeNumber } from './option-values.js';
import type { TailOptions } from './tail-threads.js';
import type { Terminal } from './terminal.js';
import { addThreadFilters } from './thread-filters.js';

/** `waystation tail`: prints changes as they happen. */
export function addTailCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('tail')
    .description('follow one thread, or all of them, until Ctrl+C')
    .argument('[thread]', 'its id, or the beginning of it; default: all threads')
    .option('--last <number>', 'start with this many recent changes of the thread (default: 10)', wholeNumber(0));
  addThreadFilters(command)
    .option('--full', 'show long texts whole')
    .option('--json', 'print JSON lines: {thread_id, id, event, data}, with data exactly as the API streams it')
    .action(async (thread: string | undefined, options: TailOptions) => {
      refuseMixture(thread, options);
      const { tailThread, tailThreads } = await import('./tail-threads.js');
      if (thread === undefined) await tailThreads(options, terminal);
      else await tailThread(thread, options, terminal);
    });
}

function refuseMixture(thread: string | undefined, { last, status, agent, model, search }: TailOptions): void {
  if (thread === undefined && last !== undefined) throw new UsageError('--last needs a thread.');
  const hasFilter = [status, agent, model, search].some((filter) => filter !== undefined);
  if (thread !== undefined && hasFilter) throw new UsageError('Name a thread, or choose threads with filters.');
}
