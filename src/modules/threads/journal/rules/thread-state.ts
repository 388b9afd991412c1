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

/** The last non-empty report of a list, its places in the log, and its row. */
export interface RunList extends ListInRow {
  readonly list: TextList | null;
  readonly count: number;
  /** Its places are not in memory either: `ranges` is empty, and the row has them. */
  readonly isEvicted?: boolean;
  /** The last place of an evicted list. */
  readonly lastPlace?: number;
  /** Only the database knows whether there is a list. */
  readonly isUnknown?: boolean;
}

/** Known to be empty. */
export const NO_LIST: RunList = { list: TextList.EMPTY, count: 0, ranges: [], row: null };

export const UNKNOWN_LIST: RunList = { list: null, count: 0, ranges: [], row: null, isUnknown: true };

/** The run's column `mark`: it was restarted, and only replays have followed. */
export interface RestartMark {
  status: string;
  occurredAtMs: number | null;
  /** The start had an unseen id, so it is certainly new. Absent in old marks. */
  hasId?: boolean;
  replayed: number[];
}

/** The run's column `ending`: when the last ending occurred, and its figures; null for those it did not report. */
export interface Ending extends Pick<
  ReportedFields,
  'tokens_used' | 'model' | 'run_cost_usd' | 'budget_usd' | 'budget_warning'
> {
  occurredAtMs: number | null;
  /** A person ended the run; absent if an event did. */
  isCancellation?: boolean;
  reason?: string;
  by?: string;
  /** The trace of the cancelled run that had called this one; absent for the run that was meant. */
  cancelledWith?: string;
  /** When agent processes, by their clocks, accepted the launches that were cancelled before they began; absent for none. */
  queuedAtMs?: readonly number[];
  /** When the cancelled run had last begun, by its reporter's clock; absent or null if not reported. */
  begunAtMs?: number | null;
}

export interface RunState {
  row: Run;
  mark: RestartMark | null;
  /** The checkpoint with the highest step of the current attempt; the initial row before there is one. */
  latest: Checkpoint | null;
  /** The highest step of all attempts; -1 for none. */
  highestStepEver: number;
  /**
   * The place of the last message it said, even if a report without a history replaced that report; null for none, undefined if only the
   * database knows.
   */
  lastSaid: number | null | undefined;
  /** The last non-empty lists of the run's current rows. */
  history: RunList;
  meta: RunList;
}

export type RunLists = Pick<RunState, 'history' | 'meta'>;

export const NO_LISTS: RunLists = { history: NO_LIST, meta: NO_LIST };

/** A committed thread as far as memory holds it; runs are loaded on demand. */
export interface ThreadState {
  row: Thread;
  agents: ReadonlyMap<string, ThreadAgent>;
  /** By number. If one run of a trace is here, all are. */
  runs: ReadonlyMap<number, RunState>;
  leases: KnownLeases;
  /** Digests of all events that the thread has seen; grows with each commit. Null if unknown or too many. */
  seen: Set<string> | null;
}

/** Oldest first. */
export function runsOfTrace(runs: ReadonlyMap<number, RunState>, traceId: string): RunState[] {
  const found: RunState[] = [];
  for (const run of runs.values()) if (run.row.trace_id === traceId) found.push(run);
  return found.length < 2 ? found : found.sort((a, b) => a.row.run_no - b.row.run_no);
}

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

/** The reporter's agent whose own runs last made progress; null if none has a run of its own. */
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

/** The highest step of the current attempt; -1 if it has only the initial row. */
export function highestStep(run: RunState): number {
  return run.latest && !run.latest.is_initial ? run.latest.step_index : -1;
}

/** The checkpoint whose tool calls people can still decide on; null for none. */
export function pendingCalls(run: Pick<RunState, 'row' | 'latest'>): Checkpoint | null {
  const { latest } = run;
  const isOpen = latest !== null && latest.pending_tool_calls !== null && latest.approval === null;
  return isOpen && !isEnded(run.row.status) ? latest : null;
}

const PER_RUN_BYTES = 2_000;
const PER_THREAD_BYTES = 1_500;
const PER_LEASED_TRACE_BYTES = 1_000;
const PER_SEEN_BYTES = 100;
/** Its position and its digest. */
const PER_ELEMENT_BYTES = 80;
const PER_RANGE_BYTES = 72;
/** Fewer take little memory. */
const MANY_RANGES = 512;

/** In a thread without list elements, more would take most of its memory; ask the database instead. */
const MAX_SEEN_OF_LIGHT = 64;

/** Texts whose length agents control. */
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

export function sizeOfLists(run: RunLists): number {
  const [history, meta] = [run.history.list, run.meta.list];
  const ofMeta = meta?.bytes.buffer === history?.bytes.buffer ? 0 : (meta?.bytes.buffer.byteLength ?? 0);
  const elements = (history?.count ?? 0) + (meta?.count ?? 0);
  const ranges = run.history.ranges.length + run.meta.ranges.length;
  return (history?.bytes.buffer.byteLength ?? 0) + ofMeta + elements * PER_ELEMENT_BYTES + ranges * PER_RANGE_BYTES;
}

export function sizeOf(state: ThreadState): number {
  let bytes = PER_THREAD_BYTES + PER_LEASED_TRACE_BYTES * state.leases.size + PER_SEEN_BYTES * (state.seen?.size ?? 0);
  for (const run of state.runs.values()) {
    bytes += PER_RUN_BYTES + sizeOfLists(run) + sizeOfTexts(run);
  }
  return bytes;
}

export function isLight({ runs }: ThreadState): boolean {
  for (const { history, meta } of runs.values()) if (hasElements(history) || hasElements(meta)) return false;
  return true;
}

/** The state without its lists' elements, and without its event digests if they are many. */
export function lightened(state: ThreadState): ThreadState {
  const seen = (state.seen?.size ?? 0) > MAX_SEEN_OF_LIGHT ? null : state.seen;
  if (isLight(state)) return seen === state.seen ? state : { ...state, seen };
  const runs = new Map<number, RunState>();
  for (const [runNo, run] of state.runs) {
    // A copy, because the cached response of the old row holds the elements.
    const latest = run.latest && { ...run.latest };
    runs.set(runNo, { ...run, latest, history: withoutElements(run.history), meta: withoutElements(run.meta) });
  }
  return { ...state, runs, seen };
}

function hasElements({ list }: RunList): boolean {
  return list !== null && list.count > 0;
}

/** The list without its elements, and without its places if they are many: both can be loaded again. */
export function evict(runList: RunList): RunList {
  const bare = withoutElements(runList);
  const { ranges, row } = runList;
  if (row === null || ranges.length < MANY_RANGES) return bare;
  return { ...bare, ranges: [], isEvicted: true, lastPlace: ranges.at(-1)![1] };
}

function withoutElements(runList: RunList): RunList {
  return hasElements(runList) ? { ...runList, list: null } : runList;
}

export function lastPlaceOf({ ranges, lastPlace }: RunList): number | null {
  return ranges.at(-1)?.[1] ?? lastPlace ?? null;
}
