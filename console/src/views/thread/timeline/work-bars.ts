import type { Work } from './work.js';
import type { ReachedStep } from './step-times.js';

/** A stretch of a lane in which someone worked or waited. */
export interface TimelineBar {
  kind: 'model' | 'tool' | 'wait';
  from: number;
  to: number;
  /** The index of the step that it led to; for waiting, of the step that waits. */
  step: number;
  /** Still in progress. */
  isOpen: boolean;
  /** The tools that worked, if their names are known. */
  tools?: string;
}

/** What is happening at a moment. */
type Doing = Pick<TimelineBar, 'kind' | 'tools'>;
type Stretch = Pick<TimelineBar, 'kind' | 'from' | 'to' | 'tools'>;

const THINKING: Doing = { kind: 'model' };

/** A wait for a person, current or past. */
export interface LaneSignal {
  from: number;
  to: number;
  isPending: boolean;
  text: string;
}

interface LaneWork {
  indexes: readonly number[];
  reached: readonly ReachedStep[];
  works: readonly (readonly Work[])[];
  signals: readonly (LaneSignal | null)[];
  start: number;
  end: number;
  isOpen: boolean;
}

/** A lane's bars in chronological order, without overlaps, and when work on each step began. */
export function workBars(lane: LaneWork): { bars: TimelineBar[]; starts: number[] } {
  const bars: TimelineBar[] = [];
  const starts: number[] = [];
  let from = lane.start;
  let doing = THINKING;
  lane.indexes.forEach((index, place) => {
    const { at, skew } = lane.reached[place]!;
    const works = lane.works[place]!;
    const signal = lane.signals[place];
    starts.push(Math.min(from, at));
    for (const bar of barsOfStep(works, skew, Math.min(from, at), at, doing))
      bars.push({ ...bar, step: index, isOpen: false });
    doing = doingAfter(works);
    from = signal?.to ?? at;
    if (!signal) return;
    bars.push({ kind: 'wait', from: signal.from, to: signal.to, step: index, isOpen: signal.isPending && lane.isOpen });
    doing = { ...doing, kind: 'tool' };
  });
  const last = lane.indexes.at(-1);
  const isWaiting = lane.signals.at(-1)?.isPending;
  if (lane.isOpen && last !== undefined && !isWaiting && lane.end > from)
    bars.push({ ...doing, from, to: lane.end, step: last, isOpen: true });
  return { bars, starts };
}

/** A step without messages is one bar; otherwise each message ends a bar. Nobody works before a person's message. */
function barsOfStep(works: readonly Work[], skew: number, from: number, at: number, first: Doing): Stretch[] {
  if (works.length === 0) return [{ ...first, from, to: at }];
  const bars: Stretch[] = [];
  let [before, doing] = [from, first];
  works.forEach((work, place) => {
    const isLast = place === works.length - 1;
    const to = isLast ? at : Math.min(Math.max(work.at + skew, before), at);
    const done: Doing = work.kind === 'tool' ? { ...doing, kind: 'tool' } : THINKING;
    const last = bars.at(-1);
    if (work.kind === 'person') bars.push({ ...done, from: to, to });
    else if (last?.kind === done.kind && last.to === before) last.to = to;
    else bars.push({ ...done, from: before, to });
    before = to;
    doing = work.kind === 'tool' ? doing : doingAfter([work]);
  });
  const long = bars.filter((bar) => bar.to > bar.from);
  return long.length > 0 ? long : [{ ...bars.at(-1)!, from: at, to: at }];
}

function doingAfter(works: readonly Work[]): Doing {
  const last = works.at(-1);
  if (last?.kind !== 'call') return THINKING;
  return last.tools ? { kind: 'tool', tools: last.tools } : { kind: 'tool' };
}
