import { LongText } from '../../../common/long-text.js';
import type { Checkpoint } from '../entities/checkpoint.entity.js';
import type { RunState } from './thread-state.js';

/** The run without what holds on to the body that brought it. */
export function settled(run: RunState): RunState {
  const history = { ...run.history, list: run.history.list?.settled() ?? null };
  const meta = { ...run.meta, list: run.meta.list?.settled() ?? null };
  return { ...run, history, meta, latest: run.latest && settledRow(run.latest) };
}

function settledRow(row: Checkpoint): Checkpoint {
  const extra = row.extra instanceof LongText ? row.extra.settled() : row.extra;
  return extra === row.extra ? row : { ...row, extra };
}
