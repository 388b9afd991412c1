import type { TimeScale } from './time-scale.js';
import type { TimelineWindow } from './timeline-window.js';

export interface AxisTick {
  x: number;
  label: string;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS_MS = [
  ...[50, 100, 200, 500, SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 15 * SECOND, 30 * SECOND],
  ...[MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE],
  ...[HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 30 * DAY, 365 * DAY],
];
const LEAST_DISTANCE_PX = 76;
const DAY_LABEL_PX = 40;

/** Round times in the person's zone, with room for their labels. If there are several days, the first tick of each names the day. */
export function axisTicks(scale: TimeScale, window: TimelineWindow, width: number): AxisTick[] {
  const span = Math.max(window.to - window.from, 1e-9);
  const stretches = scale.stretches();
  const ticks: AxisTick[] = [];
  let day = dayOf(scale.toTime(0)) === dayOf(scale.toTime(1)) ? dayOf(scale.toTime(0)) : '';
  let free = 0;
  for (const { from, to, unitFrom, unitTo } of stretches) {
    const pxPerMs = (((unitTo - unitFrom) / span) * width) / (to - from);
    const last = Math.min(to, scale.toTime(window.to));
    const step = STEPS_MS.find((ms) => ms * pxPerMs >= LEAST_DISTANCE_PX) ?? STEPS_MS.at(-1)!;
    for (let at = firstFrom(Math.max(from, scale.toTime(window.from)), step); at <= last; at += step) {
      const x = ((scale.toUnit(at) - window.from) / span) * width;
      if (x < free || x > width) continue;
      const isNewDay = dayOf(at) !== day;
      ticks.push({ x, label: isNewDay ? `${dayOf(at)} ${labelOf(at, step)}` : labelOf(at, step) });
      free = x + LEAST_DISTANCE_PX + (isNewDay ? DAY_LABEL_PX : 0);
      day = dayOf(at);
    }
  }
  return ticks;
}

/** Rounds in the person's zone: midnight there, not in Greenwich. */
function firstFrom(ms: number, step: number): number {
  const zone = new Date(ms).getTimezoneOffset() * MINUTE;
  return Math.ceil((ms - zone) / step) * step + zone;
}

function labelOf(ms: number, step: number): string {
  const [, time = '', fraction = ''] = /T(\d\d:\d\d:\d\d)\.(\d{3})/.exec(localIso(ms)) ?? [];
  if (step < SECOND) return `${time}.${fraction.slice(0, step < 100 ? 2 : 1)}`;
  return step < MINUTE ? time : time.slice(0, 5);
}

const days = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric' });

function dayOf(ms: number): string {
  return days.format(ms);
}

function localIso(ms: number): string {
  return new Date(ms - new Date(ms).getTimezoneOffset() * MINUTE).toISOString();
}
