import { Injectable } from '@nestjs/common';
import { encodeCursor } from '../../../common/pagination.js';
import type { Piece } from '../../../common/piece.js';
import { CHECKPOINTS_SCOPE, placeIn } from './checkpoint-cursor.js';
import { aroundLists, checkpointSummary, type CheckpointRecord } from './checkpoint.json.js';
import { elementsOf, lastElements, newElements, NO_ELEMENTS, type ElementPlaces } from '../message-log/new-elements.js';
import { ThreadElements, type ElementLogs } from '../message-log/thread-elements.js';
import type { CheckpointsQuery, HistoryMode } from './thread-checkpoints.query.js';
import {
  BEFORE_ALL,
  ThreadCheckpointsRepository,
  type CheckpointPlace,
  type ThreadVersion,
} from './thread-checkpoints.repository.js';
import { rowsInOrder } from './rows-in-order.js';
import { threadNotFound } from '../threads.contract.js';

const PAGE = 100;

/** A checkpoint, and its run's previous lists. */
interface Step {
  record: CheckpointRecord;
  before: ElementPlaces;
}

/** Sends a thread's checkpoints piece by piece. */
@Injectable()
export class ThreadCheckpointsService {
  constructor(
    private readonly repository: ThreadCheckpointsRepository,
    private readonly elements: ThreadElements,
  ) {}

  /**
   * The list as JSON. Holds one page of rows and a few blocks of messages in memory, however long the thread is.
   * @throws DomainError `not_found` or `invalid` before the first piece; `not_found` later if the thread is deleted meanwhile
   */
  async *list(query: CheckpointsQuery): AsyncGenerator<Piece> {
    const version = await this.repository.findVersion(query.threadId);
    if (version === null) throw threadNotFound();
    const after = query.cursor === null ? BEFORE_ALL : placeIn(query.cursor);
    const logs = this.elements.of(version.pk);
    let last: CheckpointRecord | null = null;
    let count = 0;
    let nextCursor: string | null = null;
    yield '{"items":[';
    for await (const step of this.steps(version, after, query)) {
      if (count === query.limit) {
        nextCursor = encodeCursor(CHECKPOINTS_SCOPE, [last!.run_no, last!.attempt, last!.step_index]);
        break;
      }
      if (count > 0) yield ',';
      yield* this.checkpoint(step, logs, query.history);
      last = step.record;
      count += 1;
    }
    yield `],"next_cursor":${JSON.stringify(nextCursor)}}`;
  }

  private async *checkpoint({ record, before }: Step, logs: ElementLogs, mode: HistoryMode): AsyncGenerator<Piece> {
    if (mode === 'none') {
      yield checkpointSummary(record);
      return;
    }
    const lists = elementsOf(record);
    const shown = mode === 'full' ? lists : newElements(lists, before);
    const [head, between, ...tail] = aroundLists(record);
    yield head;
    yield* logs.history.slices(shown.history);
    yield between;
    yield* logs.meta.slices(shown.meta);
    yield* tail;
  }

  /** Also reads other agents' checkpoints, because each step is compared with the previous one. */
  private async *steps(version: ThreadVersion, after: CheckpointPlace, query: CheckpointsQuery): AsyncGenerator<Step> {
    const { traceId, agentId } = query;
    const runNos = await this.repository.runsOfTrace(version.pk, traceId);
    const pageAfter = (place: CheckpointPlace) => this.repository.after(version, place, PAGE);
    let runNo = after.run_no;
    let before = await this.listsUpTo(version.pk, after, query.history);
    for await (const row of rowsInOrder(after, runNos, PAGE, pageAfter)) {
      const record = await this.repository.whole(row);
      if (record.run_no !== runNo) before = NO_ELEMENTS;
      if (agentId === null || record.agent_id === agentId) yield { record, before };
      if (query.history === 'new') before = lastElements(elementsOf(record), before);
      runNo = record.run_no;
    }
    // A deleted thread has no more checkpoints either, but the list must not look complete.
    if (!(await this.repository.isThere(version.pk))) throw threadNotFound();
  }

  private async listsUpTo(threadPk: number, place: CheckpointPlace, mode: HistoryMode): Promise<ElementPlaces> {
    if (mode !== 'new' || place.attempt === 0) return NO_ELEMENTS;
    return elementsOf({
      history: await this.repository.lastList(threadPk, place, 'history'),
      history_meta: await this.repository.lastList(threadPk, place, 'history_meta'),
    });
  }
}
