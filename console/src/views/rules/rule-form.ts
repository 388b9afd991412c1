import { ExactNumber, parseExact, stringifyExact } from '../../api/exact-json.js';
import type { RuleCondition, RuleWords } from '../../../../src/common/contract/rule-sentence.js';

/** A rule with its note, as it is sent. */
export type RuleBody = RuleWords & { note: string };

export const TESTS = ['equals', 'one_of', 'range', 'prefix', 'within', 'words', 'any'] as const;
export type Test = (typeof TESTS)[number];

/** One condition of a draft. */
export interface ConditionEntry {
  /** A React key: rows keep their fields while others come and go. */
  key: number;
  path: string;
  test: Test;
  /** JSON for `equals`, one value on each line for `one_of`, otherwise the text itself. */
  text: string;
  min: string;
  max: string;
}

/** A rule as the form holds it. */
export interface RuleForm {
  effect: RuleWords['effect'];
  /** One name on each line. */
  agents: string;
  tools: string;
  conditions: readonly ConditionEntry[];
  takesOthers: boolean;
  folder: string;
  perDay: string;
  sumPath: string;
  sumPerDay: string;
  /** The last day of an `allow`, as `2027-02-24`; empty for the server's default. */
  lastDay: string;
  note: string;
}

/** The note of a rule that is only rehearsed. */
export const REHEARSED = 'rehearsal';

let lastKey = 0;

export function newCondition(path: string): ConditionEntry {
  return { key: (lastKey += 1), path, test: 'equals', text: '', min: '', max: '' };
}

/** Default lifetime of an `allow`, the same as on the server. */
const DAYS = 90;

/**
 * The form for a draft from the server, or for what little is known.
 * @param open arguments that the draft does not limit: each becomes a condition to fill in
 */
export function formOf(draft: Partial<RuleBody>, open: readonly string[] = []): RuleForm {
  const { limits } = draft;
  return {
    effect: draft.effect ?? 'allow',
    agents: (draft.agents ?? []).join('\n'),
    tools: (draft.tools ?? []).join('\n'),
    conditions: [...(draft.where ?? []).map(entryOf), ...open.map(newCondition)],
    takesOthers: draft.other === 'any',
    folder: draft.folder ?? '',
    perDay: limits ? String(limits.per_day) : '',
    sumPath: limits?.sum?.path ?? '',
    sumPerDay: limits?.sum ? stringifyExact(limits.sum.per_day) : '',
    lastDay: draft.expires_at ? localDay(new Date(draft.expires_at)) : dayIn(DAYS),
    note: draft.note ?? '',
  };
}

/** Faults of the fields, by their labels; the server checks the rest. */
export type FormFaults = Readonly<Record<string, string>>;

/** The rule from the fields, or their faults. */
export function bodyOf(form: RuleForm): { body: RuleBody; faults?: undefined } | { faults: FormFaults } {
  const faults: Record<string, string> = {};
  const [agents, tools] = [linesOf(form.agents), linesOf(form.tools)];
  if (agents.length === 0) faults.agents = 'Name an agent.';
  if (tools.length === 0) faults.tools = 'Name a tool.';
  const where = form.conditions.map((entry) => conditionOf(entry, faults));
  const isAllow = form.effect === 'allow';
  if (isAllow && !/^[1-9]\d*$/.test(form.perDay.trim())) faults.perDay = 'A whole number, from 1.';
  const sum = isAllow && form.sumPath.trim() !== '' ? sumOf(form, faults) : null;
  if (form.note.trim() === '') faults.note = 'Say why: people read it beside each decision.';
  if (Object.keys(faults).length > 0) return { faults };
  return {
    body: {
      ...{ effect: form.effect, agents, tools, where },
      ...(isAllow && { other: form.takesOthers ? 'any' : 'none' }),
      ...(form.folder.trim() !== '' && { folder: form.folder.trim() }),
      ...(isAllow && { limits: { per_day: Number(form.perDay), ...(sum && { sum }) } }),
      ...(isAllow && form.lastDay !== '' && { expires_at: endOfDay(form.lastDay) }),
      note: form.note.trim(),
    },
  };
}

/** As much of an unfinished rule as is known, for its sentence. */
export function wordsOf(form: RuleForm): RuleWords {
  const faults: Record<string, string> = {};
  const perDay = Number(form.perDay);
  return {
    effect: form.effect,
    agents: orGap(linesOf(form.agents)),
    tools: orGap(linesOf(form.tools)),
    where: form.conditions.map((entry) => conditionOf(entry, faults)),
    other: form.takesOthers ? 'any' : 'none',
    folder: form.folder.trim() || null,
    limits: form.effect === 'allow' && perDay > 0 ? { per_day: perDay, sum: sumOrNull(form) } : null,
    expires_at: form.effect !== 'allow' || form.lastDay === '' ? null : endOfDay(form.lastDay),
  };
}

/** The date this many days from now, in the form of a date field. */
export function dayIn(days: number, now = new Date()): string {
  return localDay(new Date(now.getFullYear(), now.getMonth(), now.getDate() + days));
}

function entryOf(condition: RuleCondition): ConditionEntry {
  const { path, min, max, one_of: values } = condition;
  const entry = newCondition(path);
  const numberText = (value: unknown) => (value === undefined ? '' : stringifyExact(value));
  if (min !== undefined || max !== undefined)
    return { ...entry, test: 'range', min: numberText(min), max: numberText(max) };
  if (values) return { ...entry, test: 'one_of', text: values.map(lineOf).join('\n') };
  const test = (['prefix', 'within', 'words'] as const).find((name) => condition[name] !== undefined);
  if (test) return { ...entry, test, text: condition[test]! };
  return 'equals' in condition ? { ...entry, text: lineOf(condition.equals) } : { ...entry, test: 'any' };
}

function conditionOf(entry: ConditionEntry, faults: Record<string, string>): RuleCondition {
  const { path: typed, test, text, key } = entry;
  const path = typed === '' || typed.startsWith('/') ? typed : `/${typed}`;
  const fault = (detail: string) => void (faults[`condition ${key}`] ??= detail);
  if (typed === '') fault('Name the argument.');
  if (test === 'any') return { path, any: true };
  if (test === 'range') {
    const [min, max] = [entry.min, entry.max].map((one) => numberOf(one, fault));
    if (min === undefined && max === undefined) fault('Give a lowest number, a highest, or both.');
    return { path, ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
  }
  if (text.trim() === '') fault('Give the value.');
  if (test === 'equals') return { path, equals: valueOf(text) };
  if (test === 'one_of') return { path, one_of: linesOf(text).map(valueOf) };
  return { path, [test]: text.trim() };
}

function numberOf(text: string, fault: (detail: string) => void): unknown {
  if (text.trim() === '') return undefined;
  const value = valueOf(text);
  if (typeof value !== 'number' && !(value instanceof ExactNumber)) fault('Write numbers, such as 50 or 0.5.');
  return value;
}

function sumOf(form: RuleForm, faults: Record<string, string>) {
  const fault = (detail: string) => void (faults.sum ??= detail);
  const perDay = numberOf(form.sumPerDay, fault);
  if (perDay === undefined) fault('Give the highest total.');
  const path = form.sumPath.trim();
  return { path: path.startsWith('/') ? path : `/${path}`, per_day: perDay };
}

function sumOrNull(form: RuleForm) {
  return form.sumPath.trim() === '' || form.sumPerDay.trim() === '' ? null : sumOf(form, {});
}

/** JSON, otherwise the text itself: nobody should have to quote `EUR`. */
function valueOf(text: string): unknown {
  try {
    return parseExact(text.trim());
  } catch {
    return text.trim();
  }
}

/** Writes a value on a line so that reading it returns the same value. */
function lineOf(value: unknown): string {
  if (typeof value !== 'string' || value === '' || value !== value.trim() || /[\r\n]/.test(value))
    return stringifyExact(value);
  return valueOf(value) === value ? value : stringifyExact(value);
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function orGap(names: readonly string[]): readonly string[] {
  return names.length > 0 ? names : ['…'];
}

function localDay(time: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

/** The last second of a day in the person's zone. */
function endOfDay(day: string): string {
  return new Date(`${day}T23:59:59`).toISOString();
}
