const MAX_REMINDERS = 5;
const MIN_SECONDS = 60;
const MAX_SECONDS = 30 * 24 * 3600;

/** The rule for a list of reminders. */
export const REMINDERS_EXPECTED = `up to ${MAX_REMINDERS} growing whole numbers of seconds from ${MIN_SECONDS} to ${MAX_SECONDS}`;

/** Whether the value is a valid list of seconds after which people are reminded; empty for never. */
export function isReminders(value: unknown): value is readonly number[] {
  if (!Array.isArray(value) || value.length > MAX_REMINDERS) return false;
  return value.every((seconds: unknown, i) => {
    const isSpan = Number.isInteger(seconds) && Number(seconds) >= MIN_SECONDS && Number(seconds) <= MAX_SECONDS;
    return isSpan && (i === 0 || Number(seconds) > Number(value[i - 1]));
  });
}
