const number = new Intl.NumberFormat('en-US');
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
const clock = new Intl.DateTimeFormat('en-US', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const day = new Intl.DateTimeFormat('en-US', { year: 'numeric', month: 'short', day: 'numeric' });

/** 48211 as `48,211`. */
export function formatCount(value: number): string {
  return number.format(value);
}

/** 48211 as `48.2K`, where a rough figure is enough. */
export function formatCompact(value: number): string {
  return compact.format(value);
}

/** US dollars: small amounts keep four decimal places, because model calls cost fractions of a cent. */
export function formatCost(usd: number): string {
  const digits = usd === 0 || usd >= 100 ? 2 : usd >= 1 ? 3 : 4;
  return `$${usd.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}

/** Milliseconds as `0.4 s`, `42 s`, `3:05`, `2:10:00` or `3 d 4 h`. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '—';
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (hours >= 48) return `${Math.floor(hours / 24)} d ${hours % 24} h`;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** How long ago, in the largest unit that says enough: `now`, `40 s`, `7 min`, `3 h`, `2 d`, otherwise the day. */
export function formatAge(time: string, now: number): string {
  const seconds = Math.floor((now - Date.parse(time)) / 1000);
  if (Number.isNaN(seconds)) return '—';
  if (seconds < 2) return 'now';
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  if (seconds < 14 * 86_400) return `${Math.floor(seconds / 86_400)} d`;
  return day.format(Date.parse(time));
}

/** The time of day in the person's zone, e.g. `10:02:11`. */
export function formatClock(time: string): string {
  return clock.format(Date.parse(time));
}

/** The exact moment in the person's zone and in the API's form: shown behind a relative time. */
export function formatExact(time: string): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? time : `${day.format(at)}, ${clock.format(at)} (${time})`;
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** A number of bytes for people: `9.3 MB`. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`;
}
