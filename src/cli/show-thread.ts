import type { LogEntry } from '../modules/threads/logs/log-entry.js';
import { count, dollars } from './amounts.js';
import type { ApiClient } from './api-client.js';
import { decidedLines, waitingLines } from './approval-lines.js';
import { fetchApprovals } from './approval-record.js';
import { connect } from './connect.js';
import { TRUNCATION_NOTE, EntryFormatter } from './entry-formatter.js';
import { findByPrefix, findThreadId } from './ids.js';
import { jsonMembers, type JsonMember } from './json-members.js';
import { durationText, localTime } from './local-time.js';
import { printable } from './printable.js';
import { showDifference, showStep, type ShowOptions } from './show-steps.js';
import { paintStatus, styleOf } from './style.js';
import { table } from './table.js';
import type { Terminal } from './terminal.js';
import { wrapLines } from './text-width.js';

/** The members of a run that are shown. */
interface RunRecord {
  trace_id: string;
  agent_id: string;
  status: string;
  attempts: number;
  steps: number;
  tokens_used: number;
  run_cost_usd: number;
}

/** The members of a thread's detail that are shown. */
interface ThreadRecord {
  thread_id: string;
  trace_id: string;
  status: string;
  started_at: string;
  duration_ms: number;
  total_tokens: number;
  total_cost_usd: number;
  run_list: RunRecord[];
}

/**
 * Prints a thread, or the parts selected by the options, as it arrives.
 * @throws CliError when there is no such thread, run or step, or more than one may be meant
 */
export async function showThread(idPrefix: string, options: ShowOptions, terminal: Terminal): Promise<void> {
  const client = connect();
  const path = `/threads/${encodeURIComponent(await findThreadId(client, idPrefix))}`;
  const members = jsonMembers(client.stream(path), ['logs']);
  const thread = await readHead(members);
  const { run: prefix, step, diff, json } = options;
  const runs = { noun: 'run', items: thread.run_list, idOf: ({ trace_id }: RunRecord) => trace_id };
  const run = prefix === undefined ? null : await findByPrefix(prefix, runs);
  if (step !== undefined || diff !== undefined) {
    await members.return(undefined);
    const place = { client, threadId: thread.thread_id, traceId: run?.trace_id ?? thread.trace_id };
    if (diff !== undefined) return showDifference(place, [diff[0]!, diff[1]!], options, terminal);
    return showStep(place, step!, options, terminal);
  }
  if (!json) printHead(thread, run === null ? thread.run_list : [run], terminal);
  const { truncatedCount } = await printLogs(members, run, options, terminal);
  if (json) return;
  await printApprovals(client, thread, run, terminal);
  if (truncatedCount > 0) terminal.printError(TRUNCATION_NOTE);
}

/** Everything before the logs. The runs come last. */
async function readHead(members: AsyncGenerator<JsonMember>): Promise<ThreadRecord> {
  const head: Record<string, unknown> = {};
  while (head.run_list === undefined) {
    const { value, done } = await members.next();
    if (done) break;
    head[value.name] = JSON.parse(value.text);
  }
  return head as unknown as ThreadRecord;
}

function printHead(thread: ThreadRecord, runs: readonly RunRecord[], terminal: Terminal): void {
  const { width, isColoured } = terminal;
  const style = styleOf(terminal);
  terminal.print(`${style('bold', printable(thread.thread_id))}  ${paintStatus(printable(thread.status), style)}`);
  const facts = [
    `${localTime(thread.started_at)}, for ${durationText(thread.duration_ms)}`,
    count(thread.total_tokens, 'token'),
    dollars(thread.total_cost_usd),
  ];
  for (const line of wrapLines(facts.join('; '), width)) terminal.print(line);
  const rows = runs.map((run) => [
    printable(run.trace_id),
    printable(run.agent_id),
    printable(run.status),
    run.attempts > 1 ? `${run.steps} in ${run.attempts} attempts` : String(run.steps),
    run.tokens_used.toLocaleString('en-US'),
    dollars(run.run_cost_usd),
  ]);
  terminal.print('');
  terminal.print(table(['RUN', 'AGENT', 'STATUS', 'STEPS', 'TOKENS', 'COST'], rows, { width, isColoured }));
  terminal.print('');
}

async function printLogs(
  members: AsyncGenerator<JsonMember>,
  run: RunRecord | null,
  { full: isFull, json }: ShowOptions,
  terminal: Terminal,
): Promise<EntryFormatter> {
  const lines = new EntryFormatter({ width: terminal.width, style: styleOf(terminal), isFull });
  for await (const { name, text } of members) {
    // After the logs, the same content follows as the agents' messages.
    if (name !== 'logs') break;
    const entry = JSON.parse(text) as LogEntry;
    if (run !== null && entry.trace_id !== run.trace_id) continue;
    for (const line of json ? [text] : lines.of(entry)) terminal.print(line);
    await terminal.drained?.();
  }
  return lines;
}

/** The log has only what agents report: never who decided, and from some agents no approvals at all. */
async function printApprovals(
  client: ApiClient,
  { thread_id }: ThreadRecord,
  run: RunRecord | null,
  terminal: Terminal,
): Promise<void> {
  const style = styleOf(terminal);
  for await (const approval of fetchApprovals(client, { status: 'all', thread_id })) {
    if (run !== null && approval.trace_id !== run.trace_id) continue;
    terminal.print('');
    const linesOf = approval.status === 'pending' ? waitingLines : decidedLines;
    for (const line of linesOf(approval, terminal.width, style)) terminal.print(line);
  }
}
