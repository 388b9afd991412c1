/** A field of a cron expression: its name and its values. */
interface FieldRule {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Three-letter names, starting with the one for `firstNamed`. */
  readonly names?: readonly string[];
  readonly firstNamed?: number;
}

/** A field's values in ascending order, and whether it was a plain `*`. */
export interface CronField {
  readonly values: readonly number[];
  readonly isStar: boolean;
}

export interface CronFields {
  readonly minute: CronField;
  readonly hour: CronField;
  readonly dayOfMonth: CronField;
  readonly month: CronField;
  /** 0 is Sunday. */
  readonly dayOfWeek: CronField;
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const MINUTE: FieldRule = { name: 'minute', min: 0, max: 59 };
const HOUR: FieldRule = { name: 'hour', min: 0, max: 23 };
const DAY_OF_MONTH: FieldRule = { name: 'day of month', min: 1, max: 31 };
const MONTH: FieldRule = { name: 'month', min: 1, max: 12, names: MONTHS, firstNamed: 1 };
/** 7 is Sunday as well, as in every cron. */
const DAY_OF_WEEK: FieldRule = { name: 'weekday', min: 0, max: 7, names: DAYS, firstNamed: 0 };

const NAME = '\\d{1,4}|[A-Za-z]{3}';
const ITEM = new RegExp(`^(?:\\*|(${NAME})(?:-(${NAME}))?)(?:/(\\d{1,4}))?$`);
const WEEK = 7;
const HOURS_OF_DAY = 24;

/** What is wrong with a cron expression, worded to follow "cron: ". */
export class CronError extends Error {}

/**
 * Reads the five fields of POSIX `crontab`, with the usual names, ranges of names and steps. A range of day names may wrap around the week
 * (`SAT-MON`).
 * @throws CronError that names the field
 */
export function parseCron(expression: string): CronFields {
  const parts = expression.trim().split(/[ \t]+/);
  if (parts.length !== 5) throw new CronError(wrongCount(expression.trim(), parts.length));
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = ''] = parts;
  const days = parseField(dayOfWeek, DAY_OF_WEEK);
  return {
    minute: parseField(minute, MINUTE),
    hour: parseField(hour, HOUR),
    dayOfMonth: parseField(dayOfMonth, DAY_OF_MONTH),
    month: parseField(month, MONTH),
    dayOfWeek: { ...days, values: sorted(days.values.map((day) => day % WEEK)) },
  };
}

export function isOfEveryHour({ hour }: CronFields): boolean {
  return hour.values.length === HOURS_OF_DAY;
}

/** Whether the job is due at a wall-clock time, in milliseconds as if it were UTC. If both kinds of day are restricted, either matches. */
export function matchesWall({ minute, hour, dayOfMonth, month, dayOfWeek }: CronFields, wallMs: number): boolean {
  const at = new Date(wallMs);
  if (!minute.values.includes(at.getUTCMinutes()) || !hour.values.includes(at.getUTCHours())) return false;
  if (!month.values.includes(at.getUTCMonth() + 1)) return false;
  const isDay = dayOfMonth.values.includes(at.getUTCDate());
  const isWeekday = dayOfWeek.values.includes(at.getUTCDay());
  return dayOfMonth.isStar || dayOfWeek.isStar ? isDay && isWeekday : isDay || isWeekday;
}

function wrongCount(expression: string, count: number): string {
  const fields = 'must have five fields: minute, hour, day of month, month, weekday';
  if (expression === '') return `${fields}; it is empty`;
  if (expression.startsWith('@')) return `${fields}; names like ${expression} are not supported`;
  return count === 6 ? `${fields}; it has six, and seconds are not supported` : `${fields}; it has ${count}`;
}

function parseField(text: string, rule: FieldRule): CronField {
  const values = text.split(',').flatMap((item) => parseItem(item, text, rule));
  return { values: sorted(values), isStar: text === '*' };
}

function parseItem(item: string, text: string, rule: FieldRule): number[] {
  const match = ITEM.exec(item);
  if (match === null)
    throw fieldError(rule, text, `"${item}" must be a value, a range or *, each with an optional /step`);
  const [, first, last, step] = match;
  if (step !== undefined && first !== undefined && last === undefined) {
    throw fieldError(rule, text, `a step needs a range or * before it, as in */${step}`);
  }
  const { from, to } = bounds(first, last, text, rule);
  const stride = step === undefined ? 1 : Number(step);
  const size = rule.max - rule.min + 1;
  if (stride < 1 || stride > size) throw fieldError(rule, text, `the step must be from 1 to ${size}`);
  return range(from, to, stride);
}

function bounds(first: string | undefined, last: string | undefined, text: string, rule: FieldRule) {
  if (first === undefined) return { from: rule.min, to: rule === DAY_OF_WEEK ? WEEK - 1 : rule.max };
  const from = valueOf(first, text, rule);
  if (last === undefined) return { from, to: from };
  const to = valueOf(last, text, rule);
  if (from <= to) return { from, to };
  // Sunday is 0 or 7, so a backward range of numbers is a mistake; a range of names has only one reading.
  if (rule === DAY_OF_WEEK && isName(first) && isName(last)) return { from, to: to + WEEK };
  throw fieldError(rule, text, `the range ${first}-${last} goes backward`);
}

function valueOf(word: string, text: string, rule: FieldRule): number {
  const { names = [], firstNamed = 0, min, max } = rule;
  if (isName(word)) {
    const index = names.indexOf(word.toUpperCase());
    if (index !== -1) return index + firstNamed;
    const hint = names.length > 0 ? `; names are ${names.join(', ')}` : '';
    throw fieldError(rule, text, `"${word}" is not a valid value${hint}`);
  }
  const value = Number(word);
  if (value < min || value > max) throw fieldError(rule, text, `${word} is not from ${min} to ${max}`);
  return value;
}

function isName(word: string): boolean {
  return /^[A-Za-z]/.test(word);
}

function range(from: number, to: number, stride: number): number[] {
  const values: number[] = [];
  for (let value = from; value <= to; value += stride) values.push(value);
  return values;
}

function sorted(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

function fieldError(rule: FieldRule, text: string, what: string): CronError {
  return new CronError(`the ${rule.name} field "${text}" is invalid: ${what}`);
}
