import { LongText } from '../../../common/long-text.js';
import type { Checkpoint } from '../entities/checkpoint.entity.js';
import type { ListTail, RunState } from './thread-state.js';

/** The run without what holds on to the body that brought it. */
export function settled(run: RunState): RunState {
  const { row, mark, highestStepEver, lastSaid } = run;
  const latest = run.latest && settledRow(run.latest);
  return {
    row,
    mark,
    latest,
    highestStepEver,
    lastSaid,
    history: settledTail(run.history),
    meta: settledTail(run.meta),
  };
}

function settledTail(tail: ListTail): ListTail {
  const list = tail.list?.detachedFromBody() ?? null;
  return list === tail.list ? tail : { ...tail, list };
}

function settledRow(row: Checkpoint): Checkpoint {
  const extra = row.extra instanceof LongText ? row.extra.detachedFromBody() : row.extra;
  return extra === row.extra ? row : { ...row, extra };
}
