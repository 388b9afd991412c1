import { formatAge, formatDuration, formatExact } from '../lib/format.js';
import { useNow } from './now.js';

/** How long ago; the exact time on hover and for programs. */
export function Age({ time, suffix }: { time: string; suffix?: string }) {
  const age = formatAge(time, useNow());
  return (
    <time dateTime={time} title={formatExact(time)}>
      {age}
      {suffix && age !== 'now' && ` ${suffix}`}
    </time>
  );
}

/** How long something takes; counts on until there is an end. */
export function Elapsed({ from, to }: { from: string; to?: string | null }) {
  const now = useNow();
  return <>{formatDuration((to ? Date.parse(to) : now) - Date.parse(from))}</>;
}
