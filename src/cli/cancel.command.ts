import type { Command } from 'commander';
import { connect } from './connect.js';
import { printable } from './printable.js';
import { findRunOrQueued } from './run-address.js';
import type { Terminal } from './terminal.js';

interface CancelOptions {
  thread?: string;
  reason?: string;
  json?: boolean;
}

/** `waystation cancel`: a person ends a run. */
export function addCancelCommand(program: Command, terminal: Terminal): void {
  program
    .command('cancel')
    .description('cancel a run and the runs below it, also one that waits to be started')
    .argument('<run>', 'the trace id of the run, or its beginning')
    .option('--thread <id>', 'its thread, if several have such a run; its id, or the beginning of it')
    .option('--reason <text>', 'why: shown with the run, and told to its program')
    .option('--json', 'print JSON')
    .action(async (beginning: string, { thread, reason, json }: CancelOptions) => {
      const client = connect();
      const { thread_id, trace_id } = await findRunOrQueued(client, beginning, thread);
      const path = `/threads/${encodeURIComponent(thread_id)}/runs/${encodeURIComponent(trace_id)}/cancel`;
      const answer = await client.send<object>('POST', path, reason === undefined ? undefined : { reason });
      const words = `Cancelled run ${printable(trace_id)} in thread ${printable(thread_id)}`;
      terminal.print(json ? JSON.stringify(answer) : words);
    });
}
