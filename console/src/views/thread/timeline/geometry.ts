import type { TimelineData, TimelineLayout } from './timeline-layout.js';
import { WHOLE, type TimelineWindow } from './timeline-window.js';

/** The dimensions of the picture, in pixels. */
export interface Geometry {
  isNarrow: boolean;
  /** Width of the names at the left; 0 if they are above the tracks. */
  labels: number;
  /** Width of the picture between its edges. */
  width: number;
  laneHeight: number;
  /** From the top of a lane to its track. */
  trackY: number;
}

/** Room at both edges for marks at the first and the last moment. */
export const EDGE_PX = 14;
const NARROW_PX = 640;
/** On narrow screens, the window starts with as many steps as a finger can tell apart. */
const NARROW_STEPS = 24;
/** A press within this distance hits a mark. */
const NEAR_PX = 10;

export function geometryOf(whole: number): Geometry {
  const isNarrow = whole < NARROW_PX;
  const labels = isNarrow ? 0 : Math.min(208, Math.round(whole * 0.19));
  const size = isNarrow ? { laneHeight: 64, trackY: 44 } : { laneHeight: 46, trackY: 24 };
  return { isNarrow, labels, width: Math.max(80, whole - labels - 2 * EDGE_PX), ...size };
}

/** From the top of the picture to the track of a lane. */
export function laneY({ laneHeight, trackY }: Geometry, place: number): number {
  return place * laneHeight + trackY;
}

/** The window shown at first: everything, or on a narrow screen the steps around the selected one. */
export function firstWindow({ model, scale }: TimelineData, { isNarrow }: Geometry, selected: number): TimelineWindow {
  const count = model.order.length;
  if (!isNarrow || count <= NARROW_STEPS) return WHOLE;
  const at = new Map(model.lanes.flatMap(({ steps }) => steps.map((step) => [step.index, step.at] as const)));
  const place = Math.max(0, model.order.indexOf(selected));
  const first = Math.min(Math.max(0, place - NARROW_STEPS / 2), count - NARROW_STEPS);
  const unit = (of: number) => scale.toUnit(at.get(model.order[of]!)!);
  const isEnd = first + NARROW_STEPS >= count;
  const window = { from: first === 0 ? 0 : unit(first), to: isEnd ? 1 : unit(first + NARROW_STEPS) };
  return window.to - window.from > 0.001 ? window : WHOLE;
}

/** The index of the step at a point of the picture; null if there is none. */
export function stepAt(layout: TimelineLayout, geometry: Geometry, x: number, y: number): number | null {
  const drawn = layout.lanes[Math.floor(y / geometry.laneHeight)];
  if (!drawn || drawn.lane.steps.length === 0) return null;
  const mark = drawn.marks
    .filter((one) => x >= one.x - NEAR_PX && x <= one.x + one.width + NEAR_PX)
    .sort((one, other) => one.width - other.width)[0];
  const bar = drawn.bars.find((one) => x >= one.x && x <= one.x + one.width);
  if (mark && (mark.width > 0 || !bar || bar.steps.includes(mark.step))) return mark.step;
  const among = new Set(bar?.steps ?? drawn.lane.steps.map(({ index }) => index));
  const distance = (at: number) => Math.abs(layout.x(at) - x);
  return drawn.lane.steps
    .filter(({ index }) => among.has(index))
    .reduce((nearest, one) => (distance(one.at) < distance(nearest.at) ? one : nearest)).index;
}
