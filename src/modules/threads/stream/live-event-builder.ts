import { RUN_STATUS } from '../../../common/contract/run-status.js';
import { formatRanges, type Range } from '../message-log/ranges.js';
import type { LogEntry } from '../logs/log-entry.js';
import { LogExtractor } from '../logs/log-extractor.js';
import { threadEventLogEntry } from '../logs/thread-event-log-entry.js';
import { HISTORY, HISTORY_META } from '../entities/message.entity.js';
import { checkpointPieces, type CheckpointRecord } from '../checkpoints/checkpoint.json.js';
import type { ElementsRepository } from '../message-log/elements.repository.js';
import type { ListTextsRepository } from '../message-log/list-texts.repository.js';
import { elementsOf, newElements, type ElementPlaces, type ListColumns } from '../message-log/new-elements.js';
import { indexesOutside } from '../message-log/range-sets.js';
import { attributedMessages, type TextReader } from '../logs/attributed-messages.js';
import type { ThreadEventRecord } from '../logs/thread-events.repository.js';
import { threadNotFound } from '../threads.contract.js';
import { retryData, statusOfEvent, statusOfReport, type LiveEvent } from './live-event.json.js';
import { highestPlace, type LiveRepository } from './live.repository.js';

const PAGE = 50;
/** Messages read before a run's first new one: results of their tool calls may be among the new messages. */
const CALLS_LOOKED_BACK = 32;

export interface LiveEventSources {
  live: LiveRepository;
  elements: ElementsRepository;
  texts: ListTextsRepository;
}

/** Turns one thread's changes into live events for one reader. Pass the changes in order. Throws `not_found` if the thread is gone. */
export class LiveEventBuilder {
  private readonly extractor = new LogExtractor();
  private readonly statuses = new Map<number, string>();
  /** Runs whose earlier tool calls were looked up. */
  private readonly recalled = new Set<number>();

  /** @param publishedPlace the last place in the thread's message log that the reader has received */
  constructor(
    private readonly sources: LiveEventSources,
    private publishedPlace: number,
  ) {}

  /** The checkpoint that a stream begins with. */
  async beginning(record: CheckpointRecord): Promise<LiveEvent> {
    this.statuses.set(record.run_no, record.status);
    return { type: 'checkpoint', data: await this.checkpoint(record), part: 0 };
  }

  /** The checkpoint with its new messages, the status if it changed, and at least one log entry for each new message. */
  async *report(record: CheckpointRecord): AsyncGenerator<LiveEvent> {
    if (!record.is_initial) yield { type: 'checkpoint', data: await this.checkpoint(record), part: 0 };
    const status = this.newStatus(record);
    if (status !== null) yield { type: 'status', data: statusOfReport(record, status), part: 1 };
    const lists = elementsOf(record);
    const fresh = indexesOutside(lists.history, this.publishedPlace < 0 ? [] : [[0, this.publishedPlace]]);
    if (fresh.length > 0) await this.recallCalls(record, lists, fresh);
    this.publishedPlace = Math.max(this.publishedPlace, highestPlace(lists.history));
    let part = 2;
    for await (const entry of this.entriesOf(record, lists, fresh)) yield logEvent(entry, part++);
  }

  *event(threadId: string, event: ThreadEventRecord): Generator<LiveEvent> {
    const entry = threadEventLogEntry(event);
    if (event.kind === 'status') {
      this.statuses.set(event.run_no ?? 0, event.type);
      yield { type: 'status', data: statusOfEvent(threadId, event), part: 0 };
      if (entry) yield logEvent(entry, 1);
    } else if (event.kind === 'log') {
      if (entry) yield logEvent(entry, 0);
    } else if (event.kind === 'retry') {
      yield { type: 'retry', data: retryData(threadId, event), part: 0 };
      if (entry) yield logEvent(entry, 1);
    } else {
      yield { type: event.kind, data: event.data ?? 'null', part: 0 };
    }
  }

  private async checkpoint(record: CheckpointRecord): Promise<string> {
    const before = elementsOf({
      history: await this.listBefore(record, 'history'),
      history_meta: await this.listBefore(record, 'history_meta'),
    });
    const added = newElements(elementsOf(record), before);
    const texts = await this.sources.texts.of({
      thread_pk: record.thread_pk,
      history: formatRanges(added.history),
      history_meta: formatRanges(added.meta),
    });
    if (texts === null) throw threadNotFound();
    return checkpointPieces(record, texts).join('');
  }

  /** An empty list adds nothing, so the previous one, which may be long, is not read. */
  private async listBefore(record: CheckpointRecord, list: keyof ListColumns): Promise<string> {
    return record[list] === '' ? '' : this.sources.live.listBefore(record, list);
  }

  /**
   * The status that a report gave its run; null if the reader knows it. A report that was changed since no longer has its own status: a
   * slow reader only gets the change, which is its own event.
   */
  private newStatus({ run_no, status, seq, rev, is_initial }: CheckpointRecord): string | null {
    const reported = is_initial ? RUN_STATUS.inProgress : status;
    const isKept = is_initial || rev === seq;
    if (!isKept || this.statuses.get(run_no) === reported) return null;
    this.statuses.set(run_no, reported);
    return reported;
  }

  /** Once per run: afterwards the reader's own stream has the calls. */
  private async recallCalls(record: CheckpointRecord, lists: ElementPlaces, fresh: readonly Range[]): Promise<void> {
    if (this.recalled.has(record.run_no)) return;
    this.recalled.add(record.run_no);
    const first = fresh[0]![0];
    const last: Range[] = first === 0 ? [] : [[Math.max(0, first - CALLS_LOOKED_BACK), first - 1]];
    for await (const _ of this.entriesOf(record, lists, last));
  }

  private async *entriesOf(
    record: CheckpointRecord,
    lists: ElementPlaces,
    indexes: readonly Range[],
  ): AsyncGenerator<LogEntry> {
    const said = attributedMessages(
      lists,
      indexes,
      {
        agentId: record.agent_id,
        traceId: record.trace_id,
        stepIndex: record.step_index,
        createdAtMs: record.created_at,
      },
      { history: this.reader(record.thread_pk, HISTORY), meta: this.reader(record.thread_pk, HISTORY_META) },
    );
    for await (const { text, source } of said) yield* this.extractor.extract(text, source);
  }

  private reader(threadPk: number, list: typeof HISTORY | typeof HISTORY_META): TextReader {
    const { elements } = this.sources;
    return async function* (places) {
      for (const [from, to] of places) {
        for (let at = from; at <= to; at += PAGE) {
          yield* await elements.bodies({ threadPk, list }, at, Math.min(to, at + PAGE - 1));
        }
      }
    };
  }
}

function logEvent(entry: LogEntry, part: number): LiveEvent {
  return { type: 'log', data: JSON.stringify(entry), part };
}
