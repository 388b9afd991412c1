import { launchContext } from '../config/env.js';
import { RUN_STATUS } from '../common/contract/run-status.js';
import type { LogEntry, LogLevel } from '../modules/threads/logs/log-entry.js';
import { decidedLine, waitingLines } from './approval-lines.js';
import { readApproval } from './approval-record.js';
import { stateOf, type EffectRecord } from './effect-record.js';
import { TRUNCATION_NOTE, EntryFormatter } from './entry-formatter.js';
import { printable } from './printable.js';
import type { ServerEvent } from '../common/server-event-parser.js';
import { styleOf, type Style } from './style.js';
import type { Terminal } from './terminal.js';

export interface LiveViewOptions {
  full?: boolean;
  json?: boolean;
}

/** An `effect` event: a tool call that was claimed or settled, or is in doubt. */
type LiveEffect = Omit<EffectRecord, 'argsText' | 'json'> & { settled_at: string | null };

/** The members of a `status` event that a person reads. */
interface StatusRecord {
  trace_id: string | null;
  agent_id: string | null;
  status: string;
  step_index: number | null;
  updated_at: string;
}

const LEVELS: Readonly<Record<string, LogLevel>> = {
  [RUN_STATUS.error]: 'error',
  [RUN_STATUS.budgetExceeded]: 'error',
  [RUN_STATUS.cancelled]: 'warn',
  [RUN_STATUS.waiting]: 'warn',
};

/** Prints the events of threads' live streams as they come: as lines for people, or as JSON lines. */
export class LiveThreadView {
  private readonly style: Style;
  private readonly lines: EntryFormatter;
  private shownThread: string | null = null;
  private hasNotedTruncation = false;

  constructor(
    private readonly options: LiveViewOptions,
    private readonly terminal: Terminal,
  ) {
    this.style = styleOf(terminal);
    this.lines = new EntryFormatter({ width: terminal.width, style: this.style, isFull: options.full });
  }

  /** Prints an event, below the thread's id if the previous one was another thread's; waits for a slow reader. */
  async show(threadId: string, event: ServerEvent): Promise<void> {
    if (this.options.json) this.terminal.print(jsonLine(threadId, event));
    else this.printLines(threadId, this.linesOf(event));
    if (this.lines.truncatedCount > 0 && !this.hasNotedTruncation) {
      this.hasNotedTruncation = true;
      this.terminal.printError(TRUNCATION_NOTE);
    }
    await this.terminal.drained?.();
  }

  /** Prints a note about a whole thread, such as its deletion. */
  async printNote(threadId: string, event: ServerEvent, words: string): Promise<void> {
    if (this.options.json) this.terminal.print(jsonLine(threadId, event));
    else this.printLines(threadId, [words]);
    await this.terminal.drained?.();
  }

  private printLines(threadId: string, lines: readonly string[]): void {
    if (lines.length === 0) return;
    if (this.shownThread !== threadId) {
      if (this.shownThread !== null) this.terminal.print('');
      this.terminal.print(this.style('bold', printable(threadId)));
      this.shownThread = threadId;
    }
    for (const line of lines) this.terminal.print(line);
  }

  /** No lines for checkpoints: their messages come as log entries. */
  private linesOf({ event, data }: ServerEvent): string[] {
    if (event === 'effect' && data !== 'null') return this.effectLines(JSON.parse(data) as LiveEffect);
    if (event === 'log') return this.lines.of(JSON.parse(data) as LogEntry);
    if (event === 'status') return this.lines.of(statusEntry(JSON.parse(data) as StatusRecord));
    return event === 'approval' && data !== 'null' ? this.approvalLines(data) : [];
  }

  private effectLines(effect: LiveEffect): string[] {
    const lines = this.lines.of(effectEntry(effect));
    if (!effect.in_doubt) return lines;
    return [...lines, `  ${launchContext().command} settle ${printable(effect.thread_id)} ${printable(effect.key)}`];
  }

  private approvalLines(data: string): string[] {
    const approval = readApproval(data);
    if (approval.status === 'pending') return waitingLines(approval, this.terminal.width, this.style);
    return [decidedLine(approval, this.style)];
  }
}

/** One line of exact JSON. Line breaks occur only between tokens, where a space means the same. */
export function jsonLine(threadId: string, { id, event, data }: ServerEvent): string {
  const head = JSON.stringify({ thread_id: threadId, id, event }).slice(0, -1);
  return `${head},"data":${data.replaceAll(/[\r\n]+/g, ' ')}}`;
}

function effectEntry(effect: LiveEffect): LogEntry {
  const { tool, key, state, in_doubt, agent_id, trace_id, started_at, settled_at } = effect;
  const level = in_doubt || state === 'failed' ? 'warn' : 'tool';
  const message = `${tool} (${key}): ${stateOf(effect)}`;
  return { ts: settled_at ?? started_at, level, kind: 'event', message, agent_id, trace_id, step_index: 0 };
}

function statusEntry({ trace_id, agent_id, status, step_index, updated_at }: StatusRecord): LogEntry {
  return {
    ts: updated_at,
    level: LEVELS[status] ?? 'info',
    kind: 'event',
    message: `${trace_id ?? 'run'}: ${status}`,
    agent_id: agent_id ?? '',
    trace_id: trace_id ?? '',
    step_index: step_index ?? 0,
  };
}
