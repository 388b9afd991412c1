import { LongText } from '../../../../common/long-text.js';
import type { Checkpoint } from '../../entities/checkpoint.entity.js';
import type { SeenEvent } from '../../entities/seen-event.entity.js';
import { runsOfTrace, type RunList, type RunState } from '../rules/thread-state.js';

const REMEMBERED_RUNS = 16;

export function rememberedRuns(
  before: ReadonlyMap<number, RunState>,
  changed: ReadonlyMap<number, RunState>,
): Map<number, RunState> {
  const runs = new Map(before);
  changed.forEach((run, runNo) => {
    runs.delete(runNo);
    runs.set(runNo, detachedFromBody(run));
  });
  if (runs.size <= REMEMBERED_RUNS) return runs;
  for (const { row } of runs.values()) {
    if (runs.size <= REMEMBERED_RUNS) break;
    // All runs of a trace stay or none: if one is in memory, nobody looks for the others.
    for (const { row: twin } of runsOfTrace(runs, row.trace_id)) runs.delete(twin.run_no);
  }
  return runs;
}

/** Most digests of one thread in memory; for a thread with more, the database is asked. */
const MAX_SEEN = 2_000;

/**
 * All events that a thread has seen after a commit.
 * @param before all before it; null if unknown
 */
export function rememberedSeen(before: Set<string> | null, added: readonly SeenEvent[]): Set<string> | null {
  if (before === null || before.size + added.length > MAX_SEEN) return null;
  for (const { digest } of added) before.add(digest);
  return before;
}

/** The run without references to the request body. */
function detachedFromBody(run: RunState): RunState {
  const { row, mark, highestStepEver, lastSaid } = run;
  const latest = run.latest && detachedRow(run.latest);
  return {
    row,
    mark,
    latest,
    highestStepEver,
    lastSaid,
    history: detachedList(run.history),
    meta: detachedList(run.meta),
  };
}

function detachedList(runList: RunList): RunList {
  const list = runList.list?.detachedFromBody() ?? null;
  return list === runList.list ? runList : { ...runList, list };
}

function detachedRow(row: Checkpoint): Checkpoint {
  const extra = row.extra instanceof LongText ? row.extra.detachedFromBody() : row.extra;
  return extra === row.extra ? row : { ...row, extra };
}
