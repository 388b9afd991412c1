import type { Work } from './work.js';
import type { ReachedStep } from './step-times.js';

/** A stretch of a lane that someone worked, or waited. */
export interface TimelineBar {
  kind: 'model' | 'tool' | 'wait';
  from: number;
  to: number;
  /** The step that it led to; for waiting, the step that waits. The place among the steps of the input. */
  step: number;
  /** It goes on. */
  isOpen: boolean;
}

/** Someone is, or was, waited for. */
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

/** The bars of a lane by time, none before the other ends, and when the work for each step began. */
export function workBars(lane: LaneWork): { bars: TimelineBar[]; starts: number[] } {
  const bars: TimelineBar[] = [];
  const starts: number[] = [];
  let from = lane.start;
  let doing: 'model' | 'tool' = 'model';
  lane.indexes.forEach((index, place) => {
    const { at, skew } = lane.reached[place]!;
    starts.push(Math.min(from, at));
    for (const bar of barsOfStep(lane.works[place]!, skew, Math.min(from, at), at, doing))
      bars.push({ ...bar, step: index, isOpen: false });
    doing = doingAfter(lane.works[place]!);
    from = at;
    const signal = lane.signals[place];
    if (!signal) return;
    bars.push({ kind: 'wait', from: signal.from, to: signal.to, step: index, isOpen: signal.isPending && lane.isOpen });
    from = signal.to;
    doing = 'tool';
  });
  const last = lane.indexes.at(-1);
  const isWaiting = lane.signals.at(-1)?.isPending;
  if (lane.isOpen && last !== undefined && !isWaiting && lane.end > from)
    bars.push({ kind: doing, from, to: lane.end, step: last, isOpen: true });
  return { bars, starts };
}

/** A step without messages is one bar; else each message ends what led to it. Nobody works before a person's message. */
function barsOfStep(
  works: readonly Work[],
  skew: number,
  from: number,
  at: number,
  doing: 'model' | 'tool',
): Pick<TimelineBar, 'kind' | 'from' | 'to'>[] {
  if (works.length === 0) return [{ kind: doing, from, to: at }];
  const bars: Pick<TimelineBar, 'kind' | 'from' | 'to'>[] = [];
  let before = from;
  works.forEach((work, place) => {
    const isLast = place === works.length - 1;
    const to = isLast ? at : Math.min(Math.max(work.at + skew, before), at);
    const kind = work.kind === 'tool' ? 'tool' : 'model';
    const last = bars.at(-1);
    if (work.kind === 'person') bars.push({ kind, from: to, to });
    else if (last?.kind === kind && last.to === before) last.to = to;
    else bars.push({ kind, from: before, to });
    before = to;
  });
  const long = bars.filter((bar) => bar.to > bar.from);
  return long.length > 0 ? long : [{ kind: bars.at(-1)!.kind, from: at, to: at }];
}

function doingAfter(works: readonly Work[]): 'model' | 'tool' {
  return works.at(-1)?.kind === 'call' ? 'tool' : 'model';
}
