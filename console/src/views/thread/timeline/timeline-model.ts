import { isAtRest, isEnded, RUN_STATUS } from '../../../../../src/common/contract/run-status.js';
import type { components } from '../../../api/openapi.gen.js';
import { stepTimes } from './step-times.js';
import type { TimelineApproval, TimelineInput, TimelineRun, TimelineStep } from './timeline-input.js';
import type { Work } from './work.js';
import { workBars, type LaneSignal, type TimelineBar } from './work-bars.js';

type RunEvent = components['schemas']['RunEventDto'];

/** A mark on a lane besides its bars. */
export interface TimelineMark {
  kind: 'approval' | 'error' | 'restart' | 'budget' | 'cancelled' | 'completed' | 'idle';
  at: number;
  /** Its end, for a waiting approval. */
  to?: number;
  /** The index of its step in the input. */
  step: number;
  text: string;
}

export interface LaneStep {
  /** The index of the step in the input. */
  index: number;
  /** `step_index` */
  number: number;
  /** When work on it began and when it was reached, in milliseconds. */
  from: number;
  at: number;
}

/** One attempt of one run. Times are milliseconds since 1970 on the server's clock. */
export interface TimelineLane {
  key: string;
  run: TimelineRun;
  /** From 1. */
  attempt: number;
  /** 0 for a run without a parent. */
  depth: number;
  /** The previous attempt of the same run. */
  previous: string | null;
  /** The lane of the run that started this one. */
  parent: string | null;
  start: number;
  end: number;
  /** In progress: its end is the present. */
  isOpen: boolean;
  /** It stopped without an end, and another attempt took over. */
  isBroken: boolean;
  steps: LaneStep[];
  bars: TimelineBar[];
  marks: TimelineMark[];
}

export interface TimelineModel {
  lanes: TimelineLane[];
  /** The indexes of the steps in chronological order, in which a slider visits them. */
  order: number[];
  start: number;
  end: number;
}

interface Attempt {
  /** From 1. */
  attempt: number;
  /** No other attempt followed. */
  isLast: boolean;
  /** Indexes of its steps in the input. */
  indexes: number[];
}

interface NewLane extends Attempt {
  run: TimelineRun;
  depth: number;
  /** The lane of the previous attempt. */
  before: TimelineLane | null;
}

/** What was reported, by step. */
interface KnownParts {
  steps: readonly TimelineStep[];
  works: ReadonlyMap<number, readonly Work[]>;
  approvals: Map<string, TimelineApproval>;
}

/** The lanes of a thread. Accepts any data and relies on no order of times. @param now milliseconds since 1970 */
export function timelineModel(input: TimelineInput, now: number): TimelineModel {
  const runs = [...input.runs, ...unlistedRuns(input)];
  const attempts = attemptsOf(runs, input.steps);
  const known: KnownParts = {
    steps: input.steps,
    works: input.works ?? new Map<number, readonly Work[]>(),
    approvals: approvalsByStep(input.approvals ?? []),
  };
  const lanes: TimelineLane[] = [];
  for (const { run, depth } of runsInOrder(runs)) {
    let before: TimelineLane | null = null;
    for (const attempt of attempts.get(run.trace_id)!) {
      const lane = laneOf({ ...attempt, run, depth, before }, known, now);
      lane.parent = parentOf(run, lanes, lane.start);
      lanes.push(lane);
      before = lane;
    }
  }
  const order = lanes
    .flatMap(({ steps }) => steps)
    .sort((one, other) => one.at - other.at || one.index - other.index)
    .map(({ index }) => index);
  const start = Math.min(...lanes.map((lane) => lane.start));
  return lanes.length === 0
    ? { lanes, order, start: now, end: now }
    : { lanes, order, start, end: Math.max(start, ...lanes.map((lane) => lane.end)) };
}

/** Runs of newly arrived steps, if the list of runs is older. */
function unlistedRuns({ runs, steps }: TimelineInput): TimelineRun[] {
  const listed = new Set(runs.map(({ trace_id }) => trace_id));
  const found = new Map<string, TimelineRun>();
  for (const step of steps) {
    if (listed.has(step.trace_id) || found.has(step.trace_id)) continue;
    const { trace_id, agent_id, status, reported_at } = step;
    const times = { started_at: reported_at, updated_at: reported_at };
    found.set(trace_id, { trace_id, parent_trace_id: null, agent_id, status, ...times, error: null });
  }
  return [...found.values()];
}

/** The attempts of each run, by trace. */
function attemptsOf(runs: readonly TimelineRun[], steps: readonly TimelineStep[]): Map<string, Attempt[]> {
  const found = new Map<string, Attempt[]>(runs.map(({ trace_id }) => [trace_id, []]));
  steps.forEach(({ trace_id, attempt }, index) => {
    const own = found.get(trace_id)!;
    const last = own.at(-1);
    if (last?.attempt === attempt) last.indexes.push(index);
    else own.push({ attempt, isLast: false, indexes: [index] });
  });
  for (const run of runs) {
    const own = found.get(run.trace_id)!;
    const last = own.at(-1)?.attempt ?? 0;
    // A requested attempt appears at once, before its first step.
    if (last === 0 || (run.attempts ?? 1) > last)
      own.push({ attempt: Math.max(1, run.attempts ?? 1), isLast: true, indexes: [] });
    own.at(-1)!.isLast = true;
  }
  return found;
}

function approvalsByStep(approvals: readonly TimelineApproval[]): Map<string, TimelineApproval> {
  return new Map(approvals.map((one) => [`${one.trace_id} ${one.attempt} ${one.step}`, one]));
}

/** Runs in the order of their start, each followed by its sub-runs. Tolerates missing parents and cycles. */
function runsInOrder(runs: readonly TimelineRun[]): { run: TimelineRun; depth: number }[] {
  const byStart = [...new Map(runs.map((run) => [run.trace_id, run])).values()].sort(
    (one, other) => time(one.started_at) - time(other.started_at),
  );
  const known = new Set(byStart.map(({ trace_id }) => trace_id));
  const isRoot = ({ parent_trace_id: parent }: TimelineRun) => !parent || !known.has(parent);
  const seen = new Set<TimelineRun>();
  const ordered: { run: TimelineRun; depth: number }[] = [];
  const visit = (run: TimelineRun, depth: number) => {
    if (seen.has(run)) return;
    seen.add(run);
    ordered.push({ run, depth });
    for (const child of byStart) if (child.parent_trace_id === run.trace_id) visit(child, depth + 1);
  };
  for (const run of byStart) if (isRoot(run)) visit(run, 0);
  for (const run of byStart) visit(run, 0);
  return ordered;
}

function laneOf({ run, depth, before, attempt, isLast, indexes }: NewLane, known: KnownParts, now: number) {
  const steps = indexes.map((index) => known.steps[index]!);
  const approvals = steps.map((step) => known.approvals.get(`${run.trace_id} ${attempt} ${step.step_index}`));
  const asked = isLast && before ? time(run.attempt_started_at ?? '') : 0;
  const earliest = Math.max(asked, before?.end ?? time(run.started_at));
  const works = indexes.map((index) => known.works.get(index) ?? []);
  const reached = stepTimes(
    steps.map((step, at) => ({ reportedAt: time(step.reported_at), works: works[at]! })),
    earliest,
  );
  const isOpen = isLast && !isAtRest(run.status);
  const lastAt = reached.at(-1)?.at ?? earliest;
  const ended = isLast ? Math.max(lastAt, isEnded(run.status) ? time(run.updated_at, lastAt) : lastAt) : lastAt;
  const end = isOpen ? Math.max(lastAt, now) : ended;
  const start = before ? (reached[0]?.from ?? earliest) : Math.min(earliest, lastAt);
  const status = isLast ? run.status : (steps.at(-1)?.status ?? run.status);
  const lane: TimelineLane = {
    ...{ key: `${run.trace_id} ${attempt}`, run, attempt, depth, parent: null },
    previous: before?.key ?? null,
    ...{ start, end, isOpen, isBroken: !isLast && !isAtRest(status) },
    ...{ steps: [], bars: [], marks: [] },
  };
  const signals = steps.map((step, at) => signalOf(step, approvals[at], reached[at]!.at, reached[at + 1]?.at, lane));
  const drawn = workBars({ indexes, reached, works, signals, start, end, isOpen });
  lane.bars = drawn.bars;
  lane.steps = indexes.map((index, at) => ({
    ...{ index, number: steps[at]!.step_index, from: drawn.starts[at]!, at: reached[at]!.at },
  }));
  lane.marks = marksOf(lane, steps, signals, status);
  return lane;
}

/** How long the run waited for a person after a step. */
function signalOf(
  step: TimelineStep,
  approval: TimelineApproval | undefined,
  at: number,
  nextAt: number | undefined,
  lane: TimelineLane,
): LaneSignal | null {
  if (!approval && step.status !== RUN_STATUS.waiting) return null;
  const limit = Math.max(at, nextAt ?? lane.end);
  const clamped = (ms: number) => Math.min(Math.max(ms, at), limit);
  const isPending = approval ? approval.status === 'pending' : nextAt === undefined && lane.isOpen;
  const from = approval ? clamped(time(approval.created_at, at)) : at;
  // A superseded approval has no recorded end, so no wait is shown.
  if (approval?.status === 'superseded') return { from, to: from, isPending, text: 'withdrawn' };
  const decided = approval?.decided_at ? clamped(time(approval.decided_at, limit)) : limit;
  return { from, to: isPending ? limit : Math.max(from, decided), isPending, text: signalText(approval, isPending) };
}

function signalText(approval: TimelineApproval | undefined, isPending: boolean): string {
  if (isPending) return 'waits for a person';
  if (!approval || approval.status === 'pending') return 'waited for a person';
  const by = approval.decided_by ? ` by ${approval.decided_by}` : '';
  return `${approval.status}${by}`;
}

function marksOf(
  lane: TimelineLane,
  steps: readonly TimelineStep[],
  signals: readonly (LaneSignal | null)[],
  status: string,
): TimelineMark[] {
  const marks: TimelineMark[] = [];
  lane.steps.forEach(({ index, at }, place) => {
    const signal = signals[place];
    if (signal) marks.push({ kind: 'approval', at: signal.from, to: signal.to, step: index, text: signal.text });
    if (steps[place]!.budget_warning && !steps[place - 1]?.budget_warning)
      marks.push({ kind: 'budget', at, step: index, text: 'most of the budget is spent' });
  });
  const last = lane.steps.at(-1);
  const ending = endingOf(lane, status);
  const told = lane.run.events?.filter((event) => isOfLane(lane, event)) ?? [];
  if (last && ending)
    marks.push({ ...ending, text: [ending.text, ...told.map(eventText)].join('; '), at: lane.end, step: last.index });
  return marks;
}

/** A cancellation is shown at the end of the attempt that it ended, a retry at the end of the attempt before. */
function isOfLane(lane: TimelineLane, { type, attempt }: RunEvent): boolean {
  return attempt === (type === 'cancelled' ? lane.attempt : lane.attempt + 1);
}

function eventText({ type, by, reason }: RunEvent): string {
  return `${type}${by ? ` by ${by}` : ''}${reason ? `: ${reason}` : ''}`;
}

function endingOf(lane: TimelineLane, status: string): Pick<TimelineMark, 'kind' | 'text'> | null {
  if (lane.isOpen) return null;
  if (lane.isBroken) return { kind: 'restart', text: 'stopped without an end; the next attempt went on' };
  switch (status) {
    case RUN_STATUS.error:
      return { kind: 'error', text: 'failed' };
    case RUN_STATUS.budgetExceeded:
      return { kind: 'error', text: 'over budget' };
    case RUN_STATUS.cancelled:
      return { kind: 'cancelled', text: 'cancelled' };
    case RUN_STATUS.completed:
      return { kind: 'completed', text: 'completed' };
    default:
      return { kind: 'idle', text: 'rests' };
  }
}

/** The parent's attempt in progress at the time, otherwise the last one that began before. */
function parentOf(run: TimelineRun, lanes: readonly TimelineLane[], start: number): string | null {
  const own = lanes.filter((lane) => lane.run.trace_id === run.parent_trace_id);
  return (own.findLast((lane) => lane.start <= start) ?? own[0])?.key ?? null;
}

/** A time of the API in milliseconds. */
function time(text: string, otherwise = 0): number {
  const at = Date.parse(text);
  return Number.isFinite(at) ? at : otherwise;
}
