import type { Reporter } from '../../bindings/reporter.js';
import { STANDING } from '../../bindings/standing.js';
import type { Checkpoint } from '../../entities/checkpoint.entity.js';
import type { Run } from '../../entities/run.entity.js';
import type { ThreadAgent } from '../../entities/thread-agent.entity.js';
import type { Thread } from '../../entities/thread.entity.js';
import type { KnownLeases } from '../../leases/thread-leases.js';
import type { ListInRow } from '../../message-log/continued-lists.js';
import { isEnded } from '../../../../common/contract/run-status.js';
import type { ReportedFields } from '../../../../common/contract/checkpoint-fields.js';
import { TextList } from '../../../../common/text-list.js';

/** A list as it was last reported not empty, where its elements lie in the log, and the row that has it. */
export interface RunList extends ListInRow {
  /** Null where its elements are not in memory. */
  readonly list: TextList | null;
  readonly count: number;
  /** Its places are not in memory either: `ranges` is empty, and the row has them. */
  readonly isEvicted?: boolean;
  /** The last of its places, where it was left. */
  readonly lastPlace?: number;
  /** Nothing of it is in memory, not even whether there is one: the database has to say. */
  readonly isUnknown?: boolean;
}

/** There is none for certain. */
export const NO_LIST: RunList = { list: TextList.EMPTY, count: 0, ranges: [], row: null };

export const UNKNOWN_LIST: RunList = { list: null, count: 0, ranges: [], row: null, isUnknown: true };

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
  /** A person ended the run; absent for what an event ended. */
  isCancellation?: boolean;
  /** Why they ended it; absent if they did not say. */
  reason?: string;
  /** Who they were; absent if nobody said. */
  by?: string;
  /** The trace of the run that they ended, and with it this one, which it had called; absent for the one that they meant. */
  cancelledWith?: string;
  /** When agent processes had accepted the launches that were cancelled before they began, by their clocks; absent for none. */
  queuedAtMs?: readonly number[];
}

/** A run with what the next event of it needs. */
export interface RunState {
  row: Run;
  mark: RestartMark | null;
  /** The checkpoint with the highest step of the current attempt, or the initial row before there is one. */
  latest: Checkpoint | null;
  /** The highest step that any attempt ever reported; -1 for none. */
  highestStepEver: number;
  /**
   * The place of the last message that it said, also in a report that was replaced by one without a history; null for none, undefined
   * where the database has to say.
   */
  lastSaid: number | null | undefined;
  /** The last lists that are not empty of the run's own rows, which are current. */
  history: RunList;
  meta: RunList;
}

/** Both lists of a run. */
export type RunLists = Pick<RunState, 'history' | 'meta'>;

export const NO_LISTS: RunLists = { history: NO_LIST, meta: NO_LIST };

/** A committed thread as far as it is known; runs are loaded when they are needed. */
export interface ThreadState {
  row: Thread;
  agents: Map<string, ThreadAgent>;
  /** By number. Where one run with a trace is there, all are. */
  runs: Map<number, RunState>;
  leases: KnownLeases;
  /** The digests of all events that the thread has seen; it grows with each commit. Null where they are not known, or too many. */
  seen: Set<string> | null;
}

/** In the order in which they were first seen. */
export function runsOfTrace(runs: ReadonlyMap<number, RunState>, traceId: string): RunState[] {
  const found: RunState[] = [];
  for (const run of runs.values()) if (run.row.trace_id === traceId) found.push(run);
  return found.length < 2 ? found : found.sort((a, b) => a.row.run_no - b.row.run_no);
}

/** An agent that comes into a thread with its first run or step. */
export function blankAgent(threadPk: number, agentId: string, runNo: number, nowMs: number): ThreadAgent {
  return {
    thread_pk: threadPk,
    agent_id: agentId,
    latest_run: runNo,
    own_run: 0,
    progress_seq: 0,
    standing: STANDING.guest,
    open_runs: 0,
    updated_at: nowMs,
  };
}

/** The one of the reporter's agents whose own runs last made progress; null where none has a run of its own. */
export function currentAgentOf<A extends Pick<ThreadAgent, 'agent_id' | 'own_run' | 'progress_seq'>>(
  agents: Iterable<A>,
  reporter: Reporter,
): A | null {
  let current: A | null = null;
  for (const agent of agents) {
    if (agent.own_run === 0 || !reporter.maySpeakFor(agent.agent_id)) continue;
    const isLater = !current || agent.progress_seq > current.progress_seq;
    const isNewer = agent.progress_seq === current?.progress_seq && agent.own_run > current.own_run;
    if (isLater || isNewer) current = agent;
  }
  return current;
}

/** The highest step of the current attempt; -1 while there is only the initial row. */
export function highestStep(run: RunState): number {
  return run.latest && !run.latest.is_initial ? run.latest.step_index : -1;
}

/** The checkpoint whose tool calls people can still act on; null when there is none. */
export function pendingCalls(run: Pick<RunState, 'row' | 'latest'>): Checkpoint | null {
  const { latest } = run;
  const isOpen = latest !== null && latest.pending_tool_calls !== null && latest.approval === null;
  return isOpen && !isEnded(run.row.status) ? latest : null;
}

const PER_RUN_BYTES = 2_000;
const PER_THREAD_BYTES = 1_500;
const PER_LEASED_TRACE_BYTES = 1_000;
const PER_SEEN_BYTES = 100;
/** Where it is, and its digest. */
const PER_ELEMENT_BYTES = 80;
const PER_RANGE_BYTES = 72;
/** Fewer take little memory. */
const MANY_RANGES = 512;

/** Of a thread without the elements of its lists more would take most of its memory; the database is asked then. */
const MAX_SEEN_OF_LIGHT = 64;

/** What agents may make long. */
export function sizeOfTexts({ row, latest }: RunState): number {
  const extra = latest?.extra ?? '';
  const { pending_tool_calls, error, history, history_meta } = latest ?? {};
  const ofLists = lengthOf(history) + lengthOf(history_meta);
  const ofTexts = lengthOf(row.error) + lengthOf(pending_tool_calls) + lengthOf(error);
  return ofLists + ofTexts + (typeof extra === 'string' ? extra.length : extra.heldBytes);
}

function lengthOf(text: string | null | undefined): number {
  return text?.length ?? 0;
}

/** About how much memory the lists of a run take. */
export function sizeOfLists(run: RunLists): number {
  const [history, meta] = [run.history.list, run.meta.list];
  const ofMeta = meta?.bytes.buffer === history?.bytes.buffer ? 0 : (meta?.bytes.buffer.byteLength ?? 0);
  const elements = (history?.count ?? 0) + (meta?.count ?? 0);
  const ranges = run.history.ranges.length + run.meta.ranges.length;
  return (history?.bytes.buffer.byteLength ?? 0) + ofMeta + elements * PER_ELEMENT_BYTES + ranges * PER_RANGE_BYTES;
}

/** About how much memory a state takes. */
export function sizeOf(state: ThreadState): number {
  let bytes = PER_THREAD_BYTES + PER_LEASED_TRACE_BYTES * state.leases.size + PER_SEEN_BYTES * (state.seen?.size ?? 0);
  for (const run of state.runs.values()) {
    bytes += PER_RUN_BYTES + sizeOfLists(run) + sizeOfTexts(run);
  }
  return bytes;
}

/** Whether it holds no elements of lists. */
export function isLight({ runs }: ThreadState): boolean {
  for (const { history, meta } of runs.values()) if (hasElements(history) || hasElements(meta)) return false;
  return true;
}

/** The same without the elements of its lists, and without the digests of its events where they are many. */
export function lightened(state: ThreadState): ThreadState {
  const seen = (state.seen?.size ?? 0) > MAX_SEEN_OF_LIGHT ? null : state.seen;
  if (isLight(state)) return seen === state.seen ? state : { ...state, seen };
  const runs = new Map<number, RunState>();
  for (const [runNo, run] of state.runs) {
    // Another row, because the answer that was made of this one holds the elements.
    const latest = run.latest && { ...run.latest };
    runs.set(runNo, { ...run, latest, history: withoutElements(run.history), meta: withoutElements(run.meta) });
  }
  return { ...state, runs, seen };
}

function hasElements({ list }: RunList): boolean {
  return list !== null && list.count > 0;
}

/** The same without its elements, and without its places where they are many: both can be loaded again. */
export function evict(runList: RunList): RunList {
  const bare = withoutElements(runList);
  const { ranges, row } = runList;
  if (row === null || ranges.length < MANY_RANGES) return bare;
  return { ...bare, ranges: [], isEvicted: true, lastPlace: ranges.at(-1)![1] };
}

function withoutElements(runList: RunList): RunList {
  return hasElements(runList) ? { ...runList, list: null } : runList;
}

/** The place of the last element; null for none. */
export function lastPlaceOf({ ranges, lastPlace }: RunList): number | null {
  return ranges.at(-1)?.[1] ?? lastPlace ?? null;
}
