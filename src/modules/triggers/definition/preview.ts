import { isoTime } from '../../../common/clock.js';
import type { ScheduleTrigger } from './definition.js';
import { CronSchedule } from './cron/cron-schedule.js';

export interface Preview {
  /** Its place in the file. */
  trigger: string;
  cron: string;
  timezone: string;
  /** ISO 8601 in UTC. */
  next: string[];
}

/** The next `count` firings of each schedule after `fromMs`, in file order. */
export function previewOf(schedules: readonly ScheduleTrigger[], fromMs: number, count: number): Preview[] {
  return schedules.map(({ path, cron, timezone }) => {
    const schedule = new CronSchedule(cron, timezone);
    const next: string[] = [];
    for (let ms = schedule.nextAfter(fromMs); ms !== null && next.length < count; ms = schedule.nextAfter(ms)) {
      next.push(isoTime(ms));
    }
    return { trigger: path, cron, timezone, next };
  });
}
