import type { Command } from 'commander';
import { isAtRest, isEnded, RUN_STATUS } from '../common/contract/run-status.js';
import { connect } from './connect.js';
import { printable } from './printable.js';
import { findRun, findRunOrQueued, type RunAddress, type RunsMeant } from './run-address.js';
import type { Terminal } from './terminal.js';

interface Options {
  thread?: string;
  reason?: string;
  json?: boolean;
}

const CANCELLABLE: RunsMeant = { verb: 'cancel', candidates: [({ status }) => !isEnded(status)] };
/** Runs that did not succeed come before those that did. */
const RETRIABLE: RunsMeant = {
  verb: 'retry',
  candidates: [({ status }) => isEnded(status) && status !== RUN_STATUS.completed, ({ status }) => isAtRest(status)],
};

/** `waystation cancel`: a person ends a run. */
export function addCancelCommand(program: Command, terminal: Terminal): void {
  addRunCommand(program, 'cancel', 'cancel a run and its sub-runs, started or not')
    .option('--reason <text>', 'why: shown with the run, and told to its program')
    .action(async (prefix: string, { thread, reason, json }: Options) => {
      const client = connect();
      const run = await findRunOrQueued(client, prefix, thread, CANCELLABLE);
      const body = reason === undefined ? undefined : { reason };
      const response = await client.send<object>('POST', `${pathOf(run)}/cancel`, body);
      terminal.print(json ? JSON.stringify(response) : `Cancelled ${nameOf(run)}`);
    });
}

/** `waystation retry`: the agent continues a run that has ended. */
export function addRetryCommand(program: Command, terminal: Terminal): void {
  addRunCommand(program, 'retry', 'continue an ended run from its latest checkpoint').action(
    async (prefix: string, { thread, json }: Options) => {
      const client = connect();
      const run = await findRun(client, prefix, thread, RETRIABLE);
      const response = await client.send<object>('POST', `${pathOf(run)}/retry`);
      terminal.print(json ? JSON.stringify(response) : `Started again: ${nameOf(run)}`);
    },
  );
}

function addRunCommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .argument('<run>', 'its trace id, or that of its thread if only one run can be meant; beginnings are enough')
    .option('--thread <id>', 'its thread, if several have such a run')
    .option('--json', 'print JSON');
}

function pathOf({ thread_id, trace_id }: RunAddress): string {
  return `/threads/${encodeURIComponent(thread_id)}/runs/${encodeURIComponent(trace_id)}`;
}

function nameOf({ thread_id, trace_id }: RunAddress): string {
  return `run ${printable(trace_id)} in thread ${printable(thread_id)}`;
}
