import type { LogEntry } from '../modules/threads/logs/log-entry.js';
import { count, dollars } from './amounts.js';
import type { ApiClient } from './api-client.js';
import { decidedLines, waitingLines } from './approval-lines.js';
import { fetchApprovals } from './approval-record.js';
import { connect } from './connect.js';
import { CUT_NOTE, EntryLines } from './entry-lines.js';
import { findByBeginning, findThreadId } from './ids.js';
import { jsonMembers, type JsonMember } from './json-members.js';
import { durationText, localTime } from './local-time.js';
import { printable } from './printable.js';
import { showDifference, showStep, type ShowOptions } from './show-steps.js';
import { paintStatus, styleOf } from './style.js';
import { table } from './table.js';
import type { Terminal } from './terminal.js';
import { wrapped } from './text-width.js';
import type { RunRecord, ThreadRecord } from './thread-record.js';

/**
 * Prints a thread, or what the options choose of it, while it arrives.
 * @throws CliError when there is no such thread, run or step, or more than one may be meant
 */
export async function showThread(begin: string, options: ShowOptions, terminal: Terminal): Promise<void> {
  const client = connect();
  const threadId = await findThreadId(client, begin);
  const members = detailMembers(client, threadId);
  const thread = await readHead(members);
  const run = options.run === undefined ? null : await runOf(thread, options.run);
  if (options.step === undefined && options.diff === undefined) {
    await new ThreadView(thread, run, options, terminal).show(members, client);
    return;
  }
  await members.return(undefined);
  const place = { client, threadId: thread.thread_id, traceId: run?.trace_id ?? thread.trace_id };
  if (options.diff !== undefined) await showDifference(place, [options.diff[0]!, options.diff[1]!], options, terminal);
  else await showStep(place, options.step!, options, terminal);
}

function detailMembers(client: ApiClient, threadId: string): AsyncGenerator<JsonMember> {
  return jsonMembers(client.stream(`/threads/${encodeURIComponent(threadId)}`), ['logs']);
}

/** What comes before the logs. The server sends the runs last of it. */
async function readHead(members: AsyncGenerator<JsonMember>): Promise<ThreadRecord> {
  const head: Record<string, unknown> = {};
  while (head.run_list === undefined) {
    const { value, done } = await members.next();
    if (done) break;
    head[value.name] = JSON.parse(value.text);
  }
  return head as unknown as ThreadRecord;
}

function runOf(thread: ThreadRecord, begin: string): Promise<RunRecord> {
  return findByBeginning(begin, { noun: 'run', items: thread.run_list, idOf: ({ trace_id }) => trace_id });
}

class ThreadView {
  constructor(
    private readonly thread: ThreadRecord,
    private readonly run: RunRecord | null,
    private readonly options: ShowOptions,
    private readonly terminal: Terminal,
  ) {}

  async show(members: AsyncGenerator<JsonMember>, client: ApiClient): Promise<void> {
    if (!this.options.json) this.head();
    const lines = new EntryLines({
      width: this.terminal.width,
      style: styleOf(this.terminal),
      isFull: this.options.full,
    });
    for await (const { name, text } of members) {
      // The logs are over, and what comes now says the same again as the agents' messages.
      if (name !== 'logs') break;
      this.entry(text, lines);
      await this.terminal.drained?.();
    }
    if (this.options.json) return;
    await this.approvals(client);
    if (lines.cutCount > 0) this.terminal.complain(CUT_NOTE);
  }

  private head(): void {
    const { thread, terminal } = this;
    const style = styleOf(terminal);
    terminal.print(`${style('bold', printable(thread.thread_id))}  ${paintStatus(printable(thread.status), style)}`);
    const facts = [
      `${localTime(thread.started_at)}, for ${durationText(thread.duration_ms)}`,
      count(thread.total_tokens, 'token'),
      dollars(thread.total_cost_usd),
    ];
    for (const line of wrapped(facts.join('; '), terminal.width)) terminal.print(line);
    terminal.print('');
    this.runs();
    terminal.print('');
  }

  private runs(): void {
    const { thread, terminal } = this;
    const { width, isColoured } = terminal;
    const rows = (this.run === null ? thread.run_list : [this.run]).map((run) => [
      printable(run.trace_id),
      printable(run.agent_id),
      printable(run.status),
      run.attempts > 1 ? `${run.steps} in ${run.attempts} attempts` : String(run.steps),
      run.tokens_used.toLocaleString('en-US'),
      dollars(run.run_cost_usd),
    ]);
    terminal.print(table(['RUN', 'AGENT', 'STATUS', 'STEPS', 'TOKENS', 'COST'], rows, { width, isColoured }));
  }

  private entry(text: string, lines: EntryLines): void {
    const entry = JSON.parse(text) as LogEntry;
    if (this.run !== null && entry.trace_id !== this.run.trace_id) return;
    if (this.options.json) this.terminal.print(text);
    else for (const line of lines.of(entry)) this.terminal.print(line);
  }

  /** The log has only what agents say of them: not who decided, and of some agents nothing. */
  private async approvals(client: ApiClient): Promise<void> {
    const { terminal } = this;
    const style = styleOf(terminal);
    for await (const approval of fetchApprovals(client, { status: 'all', thread_id: this.thread.thread_id })) {
      if (this.run !== null && approval.trace_id !== this.run.trace_id) continue;
      terminal.print('');
      const linesOf = approval.status === 'pending' ? waitingLines : decidedLines;
      for (const line of linesOf(approval, terminal.width, style)) terminal.print(line);
    }
  }
}
