import type { Command } from 'commander';
import { UsageError } from './cli-error.js';
import { stepNumber } from './option-values.js';
import type { ShowOptions } from './show-steps.js';
import type { Terminal } from './terminal.js';

/** `waystation show`: a thread for people to read. */
export function addShowCommand(program: Command, terminal: Terminal): void {
  program
    .command('show')
    .description('show a thread: runs, messages, tool calls, costs')
    .argument('<thread>', 'its id, or the beginning of it')
    .option('--run <trace>', 'only this run; its id, or the beginning of it')
    .option('--step <number>', 'the checkpoint of a step instead: its history and what belongs to it', stepNumber)
    .option('--diff <steps...>', 'two steps, like --diff 1 4: what changed in the history between them', collectStep)
    .option('--full', 'show long texts whole')
    .option('--json', 'print JSON lines, exactly as recorded')
    .action(async (threadId: string, options: ShowOptions) => {
      if (options.diff !== undefined && options.diff.length !== 2) throw new UsageError('--diff needs two steps.');
      const { showThread } = await import('./show-thread.js');
      await showThread(threadId, options, terminal);
    });
}

function collectStep(text: string, before: readonly number[] = []): readonly number[] {
  return [...before, stepNumber(text)];
}
