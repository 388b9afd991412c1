import { Injectable } from '@nestjs/common';
import type { Run } from '../entities/run.entity.js';
import { compareKeys, inOrder, type KeyedEntry, type Stretch } from './entry-order.js';
import type { LogEntry } from './log-entry.js';
import { LogExtractor } from './log-extractor.js';
import { threadEventLogEntry } from './thread-event-log-entry.js';
import { elementsOf } from '../message-log/new-elements.js';
import { indexesOutside, placesAt, withPlaces } from '../message-log/range-sets.js';
import type { Range } from '../message-log/ranges.js';
import type { ReportRow } from '../checkpoints/report-row.js';
import { attributedMessages, type Attribution } from './attributed-messages.js';
import { ThreadElements } from '../message-log/thread-elements.js';
import { ThreadEventsRepository } from './thread-events.repository.js';
import type { ThreadReports } from '../checkpoints/thread-reports.js';
import type { ThreadVersion } from '../checkpoints/thread-checkpoints.repository.js';

const PAGE = 200;

@Injectable()
export class ThreadLogsService {
  constructor(
    private readonly elements: ThreadElements,
    private readonly events: ThreadEventsRepository,
  ) {}

  /**
   * The entries in time order, each as JSON, in bounded memory. Each message has at least one entry, attributed to the checkpoint that
   * reported it first.
   * @throws DomainError `not_found` if the thread is deleted meanwhile
   */
  logs(
    runs: readonly Pick<Run, 'run_no' | 'trace_id'>[],
    reports: ThreadReports,
    stretch: Stretch,
  ): AsyncGenerator<KeyedEntry> {
    const traces = new Map(runs.map((run) => [run.run_no, run.trace_id]));
    const { version } = reports;
    const read = () => merged(this.messageEntries(version.pk, traces, reports), this.eventEntries(version));
    return inOrder(read, stretch);
  }

  private async *messageEntries(
    threadPk: number,
    traces: ReadonlyMap<number, string>,
    reports: ThreadReports,
  ): AsyncGenerator<KeyedEntry> {
    const { history, meta } = this.elements.of(threadPk);
    const readers = { history: history.texts.bind(history), meta: meta.texts.bind(meta) };
    const extractor = new LogExtractor();
    let told: Range[] = [];
    for await (const report of reports) {
      const lists = elementsOf(report);
      const fresh = indexesOutside(lists.history, told);
      if (fresh.length === 0) continue;
      told = withPlaces(told, placesAt(lists.history, fresh));
      let index = 0;
      for await (const { text, source } of attributedMessages(lists, fresh, saidIn(report, traces), readers)) {
        // Numbered by place, so that simultaneous messages stay in the order of the history.
        for (const entry of extractor.extract(text, source)) yield keyed(entry, report.seq, index++);
      }
    }
  }

  private async *eventEntries({ pk, last_seq }: ThreadVersion): AsyncGenerator<KeyedEntry> {
    let afterSeq = 0;
    for (;;) {
      const page = await this.events.after(pk, afterSeq, PAGE);
      for (const event of page) {
        if (event.seq > last_seq) return;
        const entry = threadEventLogEntry(await this.events.whole(event, true));
        if (entry) yield keyed(entry, event.seq, 0);
        afterSeq = event.seq;
      }
      if (page.length < PAGE) return;
    }
  }
}

async function* merged(
  first: AsyncGenerator<KeyedEntry>,
  second: AsyncGenerator<KeyedEntry>,
): AsyncGenerator<KeyedEntry> {
  let [a, b] = [await first.next(), await second.next()];
  while (!a.done && !b.done) {
    if (compareKeys(a.value.key, b.value.key) <= 0) {
      yield a.value;
      a = await first.next();
    } else {
      yield b.value;
      b = await second.next();
    }
  }
  if (!a.done) yield a.value;
  yield* first;
  if (!b.done) yield b.value;
  yield* second;
}

function saidIn(report: ReportRow, traces: ReadonlyMap<number, string>): Attribution {
  return {
    agentId: report.agent_id,
    traceId: traces.get(report.run_no) ?? '',
    stepIndex: report.step_index,
    createdAtMs: report.created_at,
  };
}

function keyed(entry: LogEntry, seq: number, index: number): KeyedEntry {
  return { key: [Date.parse(entry.ts), seq, index], text: JSON.stringify(entry) };
}
