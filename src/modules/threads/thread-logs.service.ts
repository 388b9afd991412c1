import { Injectable } from '@nestjs/common';
import type { Run } from './entities/run.entity.js';
import type { LogEntry } from './logs/log-entry.js';
import { LogExtractor } from './logs/log-extractor.js';
import { threadEventLogEntry } from './logs/thread-event-log-entry.js';
import { elementsOf } from './reading/new-elements.js';
import { indexesOutside, setOf, type RangeSet } from './reading/range-sets.js';
import type { ReportRow } from './reading/report-row.js';
import { saidMessages, type SaidIn } from './reading/said-messages.js';
import { ThreadElements } from './reading/thread-elements.js';
import { ThreadEventsRepository } from './reading/thread-events.repository.js';

/** Events that are read at once. */
const PAGE = 500;

/** An entry ready to be sent, and what it is sorted by. */
interface TimedEntry {
  ms: number;
  seq: number;
  text: string;
}

/** Tells the story of a thread from the messages of all its runs. */
@Injectable()
export class ThreadLogsService {
  constructor(
    private readonly elements: ThreadElements,
    private readonly events: ThreadEventsRepository,
  ) {}

  /**
   * All entries in the order of time, each as JSON. A message belongs to the checkpoint that reported it first, and is told once.
   * @param reports checkpoints that are not replaced, in the order in which they were reported
   * @throws DomainError `not_found` when the thread is deleted meanwhile
   */
  async logs(threadPk: number, runs: readonly Run[], reports: readonly ReportRow[]): Promise<string[]> {
    const traces = new Map(runs.map((run) => [run.run_no, run.trace_id]));
    const entries = await this.messageEntries(threadPk, traces, reports);
    entries.push(...(await this.eventEntries(threadPk)));
    // Stable, so that what was said at the same time stays in the order of the history.
    entries.sort((a, b) => a.ms - b.ms || a.seq - b.seq);
    return entries.map(({ text }) => text);
  }

  private async messageEntries(
    threadPk: number,
    traces: ReadonlyMap<number, string>,
    reports: readonly ReportRow[],
  ): Promise<TimedEntry[]> {
    const { history, meta } = this.elements.of(threadPk);
    const readers = { history: history.texts.bind(history), meta: meta.texts.bind(meta) };
    const extractor = new LogExtractor();
    const entries: TimedEntry[] = [];
    let told: RangeSet = [];
    for (const report of reports) {
      const lists = elementsOf(report);
      const fresh = indexesOutside(lists.history, told);
      if (fresh.length === 0) continue;
      told = setOf(told, lists.history);
      const said = saidMessages(lists, fresh, saidIn(report, traces), readers);
      for await (const { text, source } of said) {
        for (const entry of extractor.extract(text, source)) entries.push(timed(entry, report.seq));
      }
    }
    return entries;
  }

  private async eventEntries(threadPk: number): Promise<TimedEntry[]> {
    const entries: TimedEntry[] = [];
    let afterSeq = 0;
    for (;;) {
      const page = await this.events.after(threadPk, afterSeq, PAGE);
      for (const event of page) {
        const entry = threadEventLogEntry(event);
        if (entry) entries.push(timed(entry, event.seq));
        afterSeq = event.seq;
      }
      if (page.length < PAGE) return entries;
    }
  }
}

function saidIn(report: ReportRow, traces: ReadonlyMap<number, string>): SaidIn {
  return {
    agentId: report.agent_id,
    traceId: traces.get(report.run_no) ?? '',
    stepIndex: report.step_index,
    createdAtMs: report.created_at,
  };
}

function timed(entry: LogEntry, seq: number): TimedEntry {
  return { ms: Date.parse(entry.ts), seq, text: JSON.stringify(entry) };
}
