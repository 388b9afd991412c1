import { Option, type Command } from 'commander';
import type { ApiClient } from './api-client.js';
import { readApprovalPage, type ApprovalCall, type ApprovalRecord } from './approval-record.js';
import { connect } from './connect.js';
import { findThreadId } from './ids.js';
import { printable } from './printable.js';
import { cut, textWidth } from './text-width.js';
import { table, type Terminal } from './terminal.js';

interface ListOptions {
  status: string;
  agent?: string;
  thread?: string;
  json?: boolean;
}

const STATUSES = ['pending', 'approved', 'rejected', 'expired', 'superseded', 'all'];
const HEADING = ['TRACE', 'STEP', 'AGENT', 'SINCE', 'TOOL', 'ARGUMENTS'];
/** With decisions. */
const DECIDED_HEADING = ['TRACE', 'STEP', 'AGENT', 'SINCE', 'STATUS', 'BY', 'REASON', 'TOOL', 'ARGUMENTS'];
const OUTCOMES = { approve: 'approved', reject: 'rejected' };
const PERSON_WIDTH = 16;
const REASON_WIDTH = 30;
const AGENT_WIDTH = 20;
const TOOL_WIDTH = 32;
const MIN_ARGUMENTS_WIDTH = 20;
const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'm'],
  [1, 's'],
] as const;

/** `waystation approvals`: the tool calls that wait for a person. */
export function addApprovalsCommand(program: Command, terminal: Terminal): void {
  program
    .command('approvals')
    .description('list the tool calls that wait for a person, oldest first')
    .addOption(
      new Option('--status <status>', 'approvals with this status instead of waiting ones')
        .choices(STATUSES)
        .default('pending'),
    )
    .option('--agent <id>', 'only approvals of this agent')
    .option('--thread <id>', 'only approvals of this thread; its id, or the beginning of it')
    .option('--json', 'print JSON lines, with all details')
    .action(async (options: ListOptions) => listApprovals(options, terminal));
}

/** All approvals that match the query, page by page. */
export async function* fetchApprovals(
  client: ApiClient,
  query: Record<string, string>,
): AsyncGenerator<ApprovalRecord> {
  const search = new URLSearchParams({ limit: '200', ...query });
  for (;;) {
    const { records, nextCursor } = readApprovalPage(await client.sendForText('GET', `/approvals?${search}`));
    yield* records;
    if (nextCursor === null) return;
    search.set('cursor', nextCursor);
  }
}

async function listApprovals({ status, agent, thread, json }: ListOptions, terminal: Terminal): Promise<void> {
  const client = connect();
  const query = {
    status,
    ...(agent === undefined ? {} : { agent_id: agent }),
    ...(thread === undefined ? {} : { thread_id: await findThreadId(client, thread) }),
  };
  const approvals = fetchApprovals(client, query);
  const rows: string[][] = [];
  for await (const approval of approvals) {
    if (json) terminal.print(approval.json);
    else rows.push(...rowsOf(approval, Date.now(), status !== 'pending'));
  }
  if (json) return;
  if (rows.length === 0)
    return terminal.complain(status === 'pending' ? 'Nothing waits for a person.' : 'There are none.');
  const heading = status === 'pending' ? HEADING : DECIDED_HEADING;
  terminal.print(table(heading, fitted(heading, rows, terminal.width), terminal));
}

/** A row per call; the first row has their common values. */
function rowsOf(approval: ApprovalRecord, nowMs: number, hasDecision: boolean): string[][] {
  const { trace_id, step, agent_id, created_at, calls } = approval;
  const address = [printable(trace_id), String(step), cut(printable(agent_id), AGENT_WIDTH), ageOf(created_at, nowMs)];
  return calls.map((call, index) => [
    ...(index === 0 ? address : address.map(() => '')),
    ...(hasDecision ? decisionOf(approval, call) : []),
    cut(printable(call.name ?? '-'), TOOL_WIDTH),
    printable(call.args),
  ]);
}

function decisionOf(approval: ApprovalRecord, call: ApprovalCall): string[] {
  return [
    call.decision === null ? approval.status : OUTCOMES[call.decision],
    cut(printable(approval.decided_by ?? approval.decided_through ?? '-'), PERSON_WIDTH),
    cut(printable(call.reason ?? approval.reason ?? '-'), REASON_WIDTH),
  ];
}

/** Cuts only arguments to the width of the screen: people need the whole address for a decision. */
function fitted(heading: readonly string[], rows: readonly string[][], width: number | undefined): string[][] {
  if (width === undefined) return [...rows];
  const others = heading
    .slice(0, -1)
    .map((head, column) => Math.max(...[head, ...rows.map((row) => row[column]!)].map(textWidth)));
  const left = width - others.reduce((sum, one) => sum + one + 2, 0);
  return rows.map((row) => [...row.slice(0, -1), cut(row.at(-1)!, Math.max(left, MIN_ARGUMENTS_WIDTH))]);
}

/** How long ago that was, in the largest unit: `2m`. */
export function ageOf(createdAt: string, nowMs: number): string {
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(createdAt)) / 1000));
  const [size, unit] = UNITS.find(([one]) => seconds >= one) ?? [1, 's'];
  return `${Math.floor(seconds / size)}${unit}`;
}
