import { costCurve, type CostPoint } from './cost-curve.js';
import type { TimelineInput } from './timeline-input.js';
import { timelineModel, type TimelineLane, type TimelineMark, type TimelineModel } from './timeline-model.js';
import { axisTicks, type AxisTick } from './axis-ticks.js';
import { TimeScale, type TimeGap } from './time-scale.js';
import { WHOLE } from './timeline-window.js';
import type { TimelineBar } from './work-bars.js';

/** A bar in pixels; adjacent ones narrower than a pixel are merged. */
export interface DrawnBar {
  kind: TimelineBar['kind'];
  x: number;
  width: number;
  isOpen: boolean;
  /** The steps it represents, in order. */
  steps: number[];
  tools?: string;
}

/** Where a step was reached. */
export interface DrawnStop {
  x: number;
  step: number;
}

export interface DrawnMark extends TimelineMark {
  x: number;
  width: number;
}

export interface DrawnLane {
  lane: TimelineLane;
  /** The track, in pixels. */
  from: number;
  to: number;
  bars: DrawnBar[];
  /** Those that do not overlap. */
  stops: DrawnStop[];
  marks: DrawnMark[];
}

export interface TimelineLayout {
  lanes: DrawnLane[];
  ticks: AxisTick[];
  gaps: { gap: TimeGap; x: number; width: number }[];
  /** Points of the curve by pixel. */
  curve: { x: number; cost: number; budget: number }[];
  x: (ms: number) => number;
}

/** Everything that depends on neither window nor width. */
export interface TimelineData {
  input: TimelineInput;
  model: TimelineModel;
  scale: TimeScale;
  curve: CostPoint[];
}

/** Narrower bars are merged with their neighbours. */
const LEAST_BAR_PX = 2;
const LEAST_STOP_DISTANCE_PX = 9;
/** Lanes with less room per stop than this, on average, show no stops. */
const STOP_ROOM_PX = 14;
/** An open end counts as work for this long; otherwise a process that died unnoticed would compress the rest. */
const OPEN_WORK_MS = 60_000;

/** @param now milliseconds since 1970 */
export function timelineData(input: TimelineInput, now: number): TimelineData {
  const model = timelineModel(input, now);
  const scale = TimeScale.over(model.start, model.end, busyStretches(model));
  return { input, model, scale, curve: costCurve(input, model) };
}

/** The drawing of a window, `width` pixels wide. Nothing lies outside it, nothing has a negative width. */
export function timelineLayout({ model, scale, curve }: TimelineData, width: number, window = WHOLE): TimelineLayout {
  const span = Math.max(window.to - window.from, 1e-9);
  const x = (ms: number) => ((scale.toUnit(ms) - window.from) / span) * width;
  const within = (ms: number) => Math.min(Math.max(x(ms), 0), width);
  return {
    x,
    lanes: model.lanes.map((lane) => drawnLane(lane, x, within, width)),
    ticks: axisTicks(scale, window, width),
    gaps: scale.gaps
      .map((gap) => ({ gap, x: within(gap.from), width: within(gap.to) - within(gap.from) }))
      .filter((gap) => gap.width > 0),
    curve: drawnCurve(curve, x, width, within(model.end)),
  };
}

function drawnLane(
  lane: TimelineLane,
  x: (ms: number) => number,
  within: (ms: number) => number,
  width: number,
): DrawnLane {
  const isInside = (ms: number) => x(ms) >= -0.5 && x(ms) <= width + 0.5;
  return {
    ...{ lane, from: within(lane.start), to: within(lane.end) },
    bars: mergedBars(lane.bars, x, within, width),
    stops: distinctStops(
      lane.steps.filter(({ at }) => isInside(at)).map(({ index, at }) => ({ x: within(at), step: index })),
    ),
    marks: lane.marks
      .filter(({ at, to = at }) => x(to) >= -0.5 && x(at) <= width + 0.5)
      .map((mark) => ({ ...mark, x: within(mark.at), width: within(mark.to ?? mark.at) - within(mark.at) })),
  };
}

/** Stops far enough apart to be distinguished. */
function distinctStops(stops: readonly DrawnStop[]): DrawnStop[] {
  const room = (stops.at(-1)?.x ?? 0) - (stops[0]?.x ?? 0);
  if (room < STOP_ROOM_PX * (stops.length - 1)) return [];
  const shown: DrawnStop[] = [];
  for (const stop of stops) if (stop.x - (shown.at(-1)?.x ?? -Infinity) >= LEAST_STOP_DISTANCE_PX) shown.push(stop);
  return shown;
}

function mergedBars(
  bars: readonly TimelineBar[],
  x: (ms: number) => number,
  within: (ms: number) => number,
  width: number,
): DrawnBar[] {
  const drawn: DrawnBar[] = [];
  let longest = 0;
  for (const { kind, from, to, step, isOpen, tools } of bars) {
    if (x(to) < 0 || x(from) > width) continue;
    const left = within(from);
    const long = within(to) - left;
    const last = drawn.at(-1);
    const isSmall = long < LEAST_BAR_PX && !isOpen;
    if (
      last &&
      isSmall &&
      last.width < LEAST_BAR_PX &&
      left - last.x < LEAST_BAR_PX &&
      last.kind !== 'wait' &&
      kind !== 'wait'
    ) {
      last.width = Math.max(last.width, left + long - last.x);
      if (last.steps.at(-1) !== step) last.steps.push(step);
      delete last.tools;
      if (long > longest) [last.kind, longest] = [kind, long];
      continue;
    }
    drawn.push({ kind, x: left, width: long, isOpen, steps: [step], ...(tools ? { tools } : {}) });
    longest = long;
  }
  return drawn.map((bar) => atLeastVisible(bar, width));
}

function atLeastVisible(bar: DrawnBar, width: number): DrawnBar {
  const shown = Math.min(Math.max(bar.width, LEAST_BAR_PX), width);
  return { ...bar, width: shown, x: Math.min(bar.x, width - shown) };
}

/** One point per pixel. Costs before the window are in its first point. */
function drawnCurve(
  curve: readonly CostPoint[],
  x: (ms: number) => number,
  width: number,
  end: number,
): TimelineLayout['curve'] {
  const drawn: TimelineLayout['curve'] = [];
  for (const { at, cost, budget } of curve) {
    if (x(at) > width) break;
    const left = Math.max(0, x(at));
    const last = drawn.at(-1);
    if (last && left - last.x < 1) Object.assign(last, { cost, budget });
    else drawn.push({ x: left, cost, budget });
  }
  const last = drawn.at(-1);
  if (last && last.x < end) drawn.push({ ...last, x: end });
  return drawn;
}

function busyStretches({ lanes }: TimelineModel): { from: number; to: number }[] {
  return lanes.flatMap(({ bars, steps }) => [
    ...steps.map(({ at }) => ({ from: at, to: at })),
    ...bars
      .filter(({ kind }) => kind !== 'wait')
      .map(({ from, to, isOpen }) => ({ from, to: isOpen ? Math.min(to, from + OPEN_WORK_MS) : to })),
  ]);
}
