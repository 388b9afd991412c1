import { Injectable } from '@nestjs/common';
import { isoTime } from '../../../common/clock.js';
import { invalidField } from '../../../common/domain-error.js';
import { encodeCursor } from '../../../common/pagination.js';
import type { Piece } from '../../../common/piece.js';
import { parseRanges } from '../message-log/ranges.js';
import { ThreadElements } from '../message-log/thread-elements.js';
import { threadNotFound } from '../threads.contract.js';
import { CHECKPOINTS_SCOPE, placeIn } from './checkpoint-cursor.js';
import { rowsInOrder } from './rows-in-order.js';
import {
  BEFORE_ALL,
  ThreadCheckpointsRepository,
  type CheckpointPlace,
  type ThreadVersion,
} from './thread-checkpoints.repository.js';
import { ThreadStepsRepository, type StepRow } from './thread-steps.repository.js';
import type { MessagesQuery, StepsQuery } from './thread-steps.query.js';

const PAGE = 500;

/** A thread's steps without messages, and messages by place: a reader of many steps loads each message only once. */
@Injectable()
export class ThreadStepsService {
  constructor(
    private readonly checkpoints: ThreadCheckpointsRepository,
    private readonly repository: ThreadStepsRepository,
    private readonly elements: ThreadElements,
  ) {}

  /**
   * The list as JSON, in checkpoint order.
   * @throws DomainError `not_found` or `invalid` before the first piece; `not_found` later if the thread is deleted meanwhile
   */
  async *list(query: StepsQuery): AsyncGenerator<Piece> {
    const version = await this.checkpoints.findVersion(query.threadId);
    if (version === null) throw threadNotFound();
    let cursor: string | null = null;
    let nextCursor: string | null = null;
    let count = 0;
    yield '{"items":[';
    for await (const row of this.rows(version, query)) {
      if (count === query.limit) {
        nextCursor = cursor;
        break;
      }
      cursor = encodeCursor(CHECKPOINTS_SCOPE, [row.run_no, row.attempt, row.step_index]);
      yield `${count > 0 ? ',' : ''}${stepJson(row, cursor)}`;
      count += 1;
    }
    yield `],"next_cursor":${JSON.stringify(nextCursor)}}`;
  }

  /**
   * Messages and metadata as JSON, exactly as reported, in the requested order.
   * @throws DomainError as above; `invalid` for a place that the thread has not reached
   */
  async *messages({ threadId, history, historyMeta }: MessagesQuery): AsyncGenerator<Piece> {
    const version = await this.checkpoints.findVersion(threadId);
    const lengths = version && (await this.repository.lengths(version.pk));
    if (!lengths) throw threadNotFound();
    const asked = {
      history: placesIn('history', history, lengths),
      meta: placesIn('history_meta', historyMeta, lengths),
    };
    const logs = this.elements.of(version.pk);
    yield '{"history":[';
    yield* logs.history.slices(asked.history);
    yield '],"history_meta":[';
    yield* logs.meta.slices(asked.meta);
    yield ']}';
  }

  private async *rows(version: ThreadVersion, query: StepsQuery): AsyncGenerator<StepRow> {
    const after = query.cursor === null ? BEFORE_ALL : placeIn(query.cursor);
    const runNos = await this.checkpoints.runsOfTrace(version.pk, query.traceId);
    const pageAfter = (place: CheckpointPlace) => this.repository.after(version, place, PAGE);
    for await (const row of rowsInOrder(after, runNos, PAGE, pageAfter)) {
      yield await this.repository.whole(version.pk, row);
    }
    if (!(await this.checkpoints.isThere(version.pk))) throw threadNotFound();
  }
}

function stepJson(row: StepRow, cursor: string): string {
  const members = {
    trace_id: row.trace_id,
    agent_id: row.agent_id,
    attempt: row.attempt,
    step_index: row.step_index,
    status: row.status,
    tokens_used: row.tokens_used,
    input_tokens: row.input_tokens,
    output_tokens: row.output_tokens,
    model: row.model,
    run_cost_usd: row.run_cost_usd,
    budget_usd: row.budget_usd,
    budget_warning: Boolean(row.budget_warning),
    reported_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
    history_length: row.history_length,
    history_places: row.history,
    history_meta_places: row.history_meta,
    cursor,
  };
  return `${JSON.stringify(members).slice(0, -1)},"error":${row.error ?? 'null'}}`;
}

function placesIn(name: 'history' | 'history_meta', text: string, lengths: Record<typeof name, number>) {
  const ranges = parseRanges(text);
  if (ranges.some(([from, to]) => from > to || to >= lengths[name])) {
    throw invalidField(name, `must name places below ${lengths[name]}, with each range in ascending order`);
  }
  return ranges;
}
