import { InvalidArgumentError, type Command } from 'commander';
import { CliError } from './cli-error.js';
import type { ShowOptions } from './show-steps.js';
import type { Terminal } from './terminal.js';

const MISUSED = 2;
const MAX_STEP = 2_147_483_647;

/** `waystation show`: a thread as people read it. */
export function addShowCommand(program: Command, terminal: Terminal): void {
  program
    .command('show')
    .description('show a thread: its runs, everything said in it, tool calls and results, costs')
    .argument('<thread>', 'its id, or the beginning of it')
    .option('--run <trace>', 'only this run; its id, or the beginning of it')
    .option('--step <number>', 'the checkpoint of a step instead: its history and what belongs to it', parseStep)
    .option('--diff <steps...>', 'two steps, like --diff 1 4: what changed in the history between them', collectStep)
    .option('--full', 'show long texts whole')
    .option('--json', 'print JSON lines, exactly as recorded')
    .action(async (threadId: string, options: ShowOptions) => {
      if (options.diff !== undefined && options.diff.length !== 2)
        throw new CliError('--diff needs two steps.', MISUSED);
      const { showThread } = await import('./show-thread.js');
      await showThread(threadId, options, terminal);
    });
}

function collectStep(text: string, before: readonly number[] = []): readonly number[] {
  return [...before, parseStep(text)];
}

function parseStep(text: string): number {
  if (/^\d{1,10}$/.test(text) && Number(text) <= MAX_STEP) return Number(text);
  throw new InvalidArgumentError('A step is a number from 0.');
}
