import type { Command } from 'commander';
import { connect } from './connect.js';
import { printable } from './printable.js';
import { findRun } from './run-address.js';
import type { Terminal } from './terminal.js';

interface RetryOptions {
  thread?: string;
  json?: boolean;
}

/** `waystation retry`: the agent continues a run that has ended. */
export function addRetryCommand(program: Command, terminal: Terminal): void {
  program
    .command('retry')
    .description('have the agent continue a run that has ended, from its latest checkpoint')
    .argument('<run>', 'the trace id of the run, or its beginning')
    .option('--thread <id>', 'its thread, if several have such a run; its id, or the beginning of it')
    .option('--json', 'print JSON')
    .action(async (beginning: string, { thread, json }: RetryOptions) => {
      const client = connect();
      const { thread_id, trace_id } = await findRun(client, beginning, thread);
      const path = `/threads/${encodeURIComponent(thread_id)}/runs/${encodeURIComponent(trace_id)}/retry`;
      const answer = await client.send<object>('POST', path);
      const words = `Started again: run ${printable(trace_id)} in thread ${printable(thread_id)}`;
      terminal.print(json ? JSON.stringify(answer) : words);
    });
}
