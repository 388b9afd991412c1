import type { Command } from 'commander';
import { isAtRest, isEnded, RUN_STATUS } from '../common/contract/run-status.js';
import { connect } from './connect.js';
import { cancelAll, sendCancel, type CancelOptions } from './cancel-all.js';
import { UsageError } from './cli-error.js';
import { findRun, findRunOrQueued, runName, runPath, type RunsMeant } from './run-address.js';
import type { Terminal } from './terminal.js';

const CANCELLABLE: RunsMeant = { verb: 'cancel', candidates: [({ status }) => !isEnded(status)] };
/** Runs that did not succeed come before those that did. */
const RETRIABLE: RunsMeant = {
  verb: 'retry',
  candidates: [({ status }) => isEnded(status) && status !== RUN_STATUS.completed, ({ status }) => isAtRest(status)],
};

/** `waystation cancel`: a person ends a run, or all. */
export function addCancelCommand(program: Command, terminal: Terminal): void {
  addRunCommand(program, '[run]', 'cancel', 'cancel a run and its sub-runs, started or not')
    .option('--reason <text>', 'why: shown with the run, and told to its program')
    .option('--all', 'everything that runs, waits for a person or is queued, and what starts meanwhile')
    .option('--yes', 'with --all: without asking')
    .action(async (prefix: string | undefined, options: CancelOptions) => {
      if (prefix === undefined || options.all) return cancelAllRuns(prefix, options, terminal);
      const client = connect();
      const run = await findRunOrQueued(client, prefix, options.thread, CANCELLABLE);
      const response = await sendCancel(client, run, options.reason);
      terminal.print(options.json ? JSON.stringify(response) : `Cancelled ${runName(run)}`);
    });
}

async function cancelAllRuns(run: string | undefined, options: CancelOptions, terminal: Terminal): Promise<void> {
  if (!options.all) throw new UsageError('Name a run, or choose --all.');
  if ((run ?? options.thread) !== undefined) throw new UsageError('Name a run, or choose --all; not both.');
  return cancelAll(options, terminal);
}

/** `waystation retry`: the agent continues a run that has ended. */
export function addRetryCommand(program: Command, terminal: Terminal): void {
  addRunCommand(program, '<run>', 'retry', 'continue an ended run from its latest checkpoint').action(
    async (prefix: string, { thread, json }: { thread?: string; json?: boolean }) => {
      const client = connect();
      const run = await findRun(client, prefix, thread, RETRIABLE);
      const response = await client.send<object>('POST', `${runPath(run)}/retry`);
      terminal.print(json ? JSON.stringify(response) : `Started again: ${runName(run)}`);
    },
  );
}

function addRunCommand(program: Command, argument: string, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .argument(argument, 'its trace id, or that of its thread if only one run can be meant; beginnings are enough')
    .option('--thread <id>', 'its thread, if several have such a run')
    .option('--json', 'print JSON');
}
