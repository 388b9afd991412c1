const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'm'],
  [1, 's'],
] as const;

/** A time of the API in the reader's time zone (TZ): `2026-11-20 10:30:01`. Other texts stay as they are. */
export function localTime(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? iso : `${dayOf(time)} ${clockOf(time)}`;
}

/** Only the day: `2026-11-20`; empty for other texts. */
export function localDay(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? '' : dayOf(time);
}

/** Only the time of day: `10:30:01`; empty for other texts. */
export function localClock(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? '' : clockOf(time);
}

/** Time since then in the largest unit: `2m`. */
export function ageOf(createdAt: string, nowMs: number): string {
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(createdAt)) / 1000));
  const [size, unit] = UNITS.find(([one]) => seconds >= one) ?? [1, 's'];
  return `${Math.floor(seconds / size)}${unit}`;
}

/** A duration: `250 ms`, `4.2 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 1440) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  const hours = Math.round(minutes / 60);
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

function dayOf(time: Date): string {
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

function clockOf(time: Date): string {
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
