import type { Checkpoint } from '../entities/checkpoint.entity.js';
import type { Run } from '../entities/run.entity.js';
import type { ThreadAgent } from '../entities/thread-agent.entity.js';
import type { Thread } from '../entities/thread.entity.js';
import type { Range } from './ranges.js';
import { isEnded, type ReportedFields } from './reported-event.js';
import { TextList } from '../../../common/text-list.js';

/** A list as it was last reported not empty, and where its elements lie in the log. */
export interface ListTail {
  readonly list: TextList;
  readonly ranges: readonly Range[];
}

export const NO_TAIL: ListTail = { list: TextList.EMPTY, ranges: [] };

/** What the run's column `mark` holds: it was started again, and only replays have followed. */
export interface RestartMark {
  /** The status before. */
  status: string;
  occurredAtMs: number | null;
  /** The start bore an id that was never seen: it is new for certain. Absent in marks from before this was kept. */
  hasId?: boolean;
  /** Numbers of the checkpoints whose reports were replayed since. */
  replayed: number[];
}

/** What the run's column `ending` holds: when the last ending occurred and the figures that it carried; null for what it did not say. */
export interface Ending extends Pick<
  ReportedFields,
  'tokens_used' | 'model' | 'run_cost_usd' | 'budget_usd' | 'budget_warning'
> {
  occurredAtMs: number | null;
}

/** A run with what the next event of it needs. */
export interface RunState {
  row: Run;
  mark: RestartMark | null;
  /** The checkpoint with the highest step of the current attempt, or the initial row before there is one. */
  latest: Checkpoint | null;
  /** The highest step that any attempt ever reported; -1 for none. */
  highestStepEver: number;
  history: ListTail;
  meta: ListTail;
}

/** A committed thread as far as it is known; runs are loaded when they are needed. */
export interface ThreadState {
  row: Thread;
  agents: Map<string, ThreadAgent>;
  /** By trace id. */
  runs: Map<string, RunState>;
}

/** The highest step of the current attempt; -1 while there is only the initial row. */
export function highestStep(run: RunState): number {
  return run.latest && !run.latest.is_initial ? run.latest.step_index : -1;
}

/** The checkpoint whose tool calls people can still act on; null when there is none. */
export function openCalls(run: Pick<RunState, 'row' | 'latest'>): Checkpoint | null {
  const { latest } = run;
  const isOpen = latest !== null && latest.pending_tool_calls !== null && latest.approval === null;
  return isOpen && !isEnded(run.row.status) ? latest : null;
}

const PER_RUN_BYTES = 2_000;
const PER_THREAD_BYTES = 1_500;

/** What agents may make long. */
function sizeOfTexts({ row, latest }: RunState): number {
  const extra = latest?.extra ?? '';
  const texts = [row.error, latest?.pending_tool_calls, latest?.error].map((text) => text?.length ?? 0);
  return texts.reduce((sum, length) => sum + length, typeof extra === 'string' ? extra.length : extra.heldBytes);
}

/** About how much memory a state takes. */
export function sizeOf(state: ThreadState): number {
  let bytes = PER_THREAD_BYTES;
  for (const run of state.runs.values()) {
    bytes += PER_RUN_BYTES + run.history.list.bytes.buffer.byteLength;
    if (run.meta.list.bytes.buffer !== run.history.list.bytes.buffer) bytes += run.meta.list.bytes.buffer.byteLength;
    bytes += (run.history.list.count + run.meta.list.count) * 60;
    bytes += sizeOfTexts(run);
  }
  return bytes;
}
