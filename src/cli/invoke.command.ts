import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { escapeInvisible } from '../common/invisible-characters.js';
import { CliError } from './cli-error.js';
import { connect } from './connect.js';
import { printable } from './printable.js';
import type { Terminal } from './terminal.js';
import { RunWaiter, type RunOutcome } from './run-waiter.js';

interface InvokeOptions {
  thread?: string;
  wait?: boolean;
  json?: boolean;
}

interface StartedRun {
  run_id: string;
  thread_id: string;
  status: string;
}

const EXIT_CODES = `
Exit codes with --wait: 0 completed, 3 error, 4 budget exceeded, 5 waits for a person, 6 cancelled, 1 any other failure.`;

/** `waystation invoke`: starts a run of an agent, and waits for its answer if asked to. */
export function addInvokeCommand(program: Command, terminal: Terminal): void {
  program
    .command('invoke')
    .description('start a run of an agent')
    .argument('<agent>', 'the agent, as `waystation agents` lists it')
    .argument('<message>', 'what to do')
    .option('--thread <id>', 'the thread to continue; default: a new one')
    .option('--wait', 'wait until the run has ended or waits for a person, and print its last message')
    .option('--json', 'print JSON')
    .addHelpText('after', EXIT_CODES)
    .action((agent: string, message: string, options: InvokeOptions) => invoke(agent, message, options, terminal));
}

async function invoke(agent: string, message: string, options: InvokeOptions, terminal: Terminal): Promise<void> {
  const client = connect();
  const path = `/v1/agents/${encodeURIComponent(agent)}/invoke`;
  const headers = { 'Idempotency-Key': randomUUID() };
  const run = await client.send<StartedRun>('POST', path, { message, thread_id: options.thread }, headers);
  const place = `run ${printable(run.run_id)} in thread ${printable(run.thread_id)}`;
  if (!options.wait) return terminal.print(options.json ? JSON.stringify(run) : `Started ${place}`);
  if (!options.json) terminal.printError(`Started ${place}`);
  report(run, await new RunWaiter(client, run, terminal).outcome(), options, terminal);
}

/** @throws CliError with the exit code of any outcome but `completed` */
function report(run: StartedRun, outcome: RunOutcome, { json }: InvokeOptions, terminal: Terminal): void {
  const { run_id, thread_id } = run;
  if (json) terminal.print(JSON.stringify({ run_id, thread_id, status: outcome.status, message: outcome.lastMessage }));
  else if (outcome.lastMessage !== null) terminal.print(escapeInvisible(outcome.lastMessage, '\n\t'));
  if (outcome.exitCode !== 0) throw new CliError(outcome.message, outcome.exitCode);
}
