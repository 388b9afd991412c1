import os from 'node:os';
import { InvalidArgumentError, type Command } from 'commander';
import type { ApiClient } from './api-client.js';
import { readApproval, type ApprovalRecord } from './approval-record.js';
import { fetchApprovals } from './approvals.command.js';
import { CliError } from './cli-error.js';
import { connect } from './connect.js';
import { printable } from './printable.js';
import type { Terminal } from './terminal.js';

interface DecisionOptions {
  reason?: string;
  by?: string;
  thread?: string;
  digest?: string;
}

const OUTCOMES = { approve: 'approved', reject: 'rejected' };
const MAX_STEP = 2_147_483_647;

/** `waystation approve` and `waystation reject`: a person decides waiting tool calls. */
export function addDecisionCommands(program: Command, terminal: Terminal): void {
  for (const verb of ['approve', 'reject'] as const) {
    program
      .command(verb)
      .description(`${verb} tool calls that wait for a person`)
      .argument('<trace>', 'the run, as `waystation approvals` shows it')
      .argument('<step>', 'the step, as shown there', parseStep)
      .option('--reason <text>', 'why; the agent and the record get it')
      .option('--by <name>', 'who decides; default: the name of the user')
      .option('--thread <id>', 'the thread, if several threads have this trace')
      .option('--digest <digest>', 'the calls, if the step had several sets')
      .action(async (traceId: string, step: number, options: DecisionOptions) => {
        const client = connect();
        const chosen = await choose(client, traceId, step, options);
        report(await decide(client, verb, chosen, options), terminal);
      });
  }
}

/**
 * The one approval that can be meant: of those that wait, else the newest of the closed ones, so that the server can say what became of it.
 * @throws CliError when there is none, or more than one waits
 */
async function choose(
  client: ApiClient,
  traceId: string,
  step: number,
  { thread, digest }: DecisionOptions,
): Promise<ApprovalRecord> {
  const query = { status: 'all', trace_id: traceId, step: String(step) };
  const found: ApprovalRecord[] = [];
  for await (const one of fetchApprovals(client, thread === undefined ? query : { ...query, thread_id: thread })) {
    if (digest === undefined || one.digest === digest) found.push(one);
  }
  const waiting = found.filter(({ status }) => status === 'pending');
  if (waiting.length > 1) throw new CliError(`More than one approval waits there; choose one:\n${hints(waiting)}`);
  const chosen = waiting[0] ?? found.at(-1);
  if (!chosen) throw new CliError('There is no such approval; `waystation approvals` lists waiting ones.');
  return chosen;
}

/** Sends the digest with the decision: the server refuses it if the calls have just changed. */
async function decide(
  client: ApiClient,
  verb: string,
  { trace_id, step, thread_id, digest }: ApprovalRecord,
  { reason, by }: DecisionOptions,
): Promise<ApprovalRecord> {
  const path = `/approvals/${encodeURIComponent(trace_id)}/${step}/${verb}?${new URLSearchParams({ thread_id })}`;
  return readApproval(await client.sendForText('POST', path, { digest, reason, decided_by: by ?? userName() }));
}

function report({ status, trace_id, step, calls }: ApprovalRecord, terminal: Terminal): void {
  for (const { name, args, decision } of calls) {
    const outcome = decision === null ? status : OUTCOMES[decision];
    terminal.print([outcome, printable(trace_id), step, printable(name ?? '-'), printable(args)].join('  '));
  }
}

function hints(approvals: readonly ApprovalRecord[]): string {
  return approvals
    .map(({ thread_id, digest, calls }) => {
      const names = calls.map(({ name }) => printable(name ?? '-')).join(', ');
      return `  --thread ${printable(thread_id)} --digest ${digest}  ${names}`;
    })
    .join('\n');
}

function parseStep(text: string): number {
  if (!/^\d{1,10}$/.test(text) || Number(text) > MAX_STEP) throw new InvalidArgumentError('A step is a number from 0.');
  return Number(text);
}

/** Containers may run under a user id without a name. */
function userName(): string | undefined {
  try {
    return os.userInfo().username;
  } catch {
    return undefined;
  }
}
