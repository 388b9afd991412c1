import type { FieldFault } from '../domain-error.js';

/** LangChain's names for the decisions that a call allows; `respond` answers its questions. */
export const CALL_DECISIONS = ['approve', 'edit', 'reject', 'respond'] as const;

export type AllowedDecision = (typeof CALL_DECISIONS)[number];

/** Limit of questions per call. */
export const MAX_QUESTIONS = 20;
/** Limit of calls in a checkpoint that asks questions. */
export const MAX_CALLS_WITH_QUESTIONS = 100;
/** Limit in bytes of a call that asks questions, as JSON. */
export const MAX_QUESTION_CALL_BYTES = 64 * 1024;
/** Limit in bytes of the member `allowed_decisions`, as JSON. */
export const MAX_ALLOWED_DECISIONS_BYTES = 4 * 1024;
/** Limit in characters of an answer in the person's own words. */
export const MAX_ANSWER = 10_000;

const MAX_OPTIONS = 50;
/** Limit in characters of a question, a description and an option's value. */
const MAX_TEXT = 4_000;
/** Limit in characters of a label, a header and an id. */
const MAX_LABEL = 200;
/** Limit of answers to one question. */
const MAX_CHOICES = 100;
const MAX_WORDS = 10;
const MAX_WORD = 64;
/** Limit of faults about unknown question ids. */
const MAX_UNKNOWN = 20;
/** Limit in characters of a wrong value quoted in a fault. */
const SHOWN = 100;
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** A choice; the agent gets `value`. */
export interface QuestionOption {
  label: string;
  value: string;
  description: string | null;
}

/** A question to a person with its defaults filled in, as in records. */
export interface Question {
  /** Unique among the questions of its call. */
  id: string;
  text: string;
  header: string | null;
  /** Empty if the person answers in their own words. */
  options: readonly QuestionOption[];
  /** Whether several answers are allowed. */
  multiple: boolean;
  free_text: boolean;
  required: boolean;
  /** The answer if nobody gives one in time. */
  default: Answer | null;
}

/** One text, or for a `multiple` question a list: chosen options in their order, then the person's own words. */
export type Answer = string | readonly string[];

/** By question id; optional questions may be missing. */
export type Answers = Readonly<Record<string, Answer>>;

type Values = Readonly<Record<string, unknown>>;

/**
 * Reads the member `questions` of a tool call. Null counts as absent; unknown members are ignored.
 * @param path of the value, for faults
 */
export function readQuestions(
  value: unknown,
  path: string,
): { questions: readonly Question[] } | { faults: readonly FieldFault[] } {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_QUESTIONS)
    return { faults: [{ path, detail: `expected an array of 1 to ${MAX_QUESTIONS} questions` }] };
  const faults: FieldFault[] = [];
  const ids = new Set<string>();
  const questions = value.map((one, i) => {
    const question = readQuestion(one, `q${i}`, `${path}[${i}]`, faults);
    if (question && ids.has(question.id))
      faults.push({ path: `${path}[${i}].id`, detail: `repeats the id ${shown(question.id)} of an earlier question` });
    if (question) ids.add(question.id);
    return question;
  });
  return faults.length > 0 ? { faults } : { questions: questions as Question[] };
}

function readQuestion(value: unknown, defaultId: string, path: string, faults: FieldFault[]): Question | null {
  if (!isObject(value)) return fault(faults, path, 'expected an object with text');
  const before = faults.length;
  const options = readOptions(value.options ?? [], `${path}.options`, faults);
  const question: Question = {
    id: readId(value.id ?? defaultId, `${path}.id`, faults),
    text: readText(value.text, MAX_TEXT, `${path}.text`, faults),
    header: readWords(value.header, MAX_LABEL, `${path}.header`, faults),
    options,
    multiple: readFlag(value.multiple ?? false, `${path}.multiple`, faults),
    free_text: readFlag(value.free_text ?? options.length === 0, `${path}.free_text`, faults),
    required: readFlag(value.required ?? true, `${path}.required`, faults),
    default: null,
  };
  if (faults.length > before) return null;
  if (options.length === 0 && !question.free_text)
    return fault(faults, `${path}.free_text`, 'expected true, because there are no options');
  const given = value.default ?? null;
  return given === null ? question : { ...question, default: readAnswer(question, given, `${path}.default`, faults) };
}

function readOptions(value: unknown, path: string, faults: FieldFault[]): QuestionOption[] {
  if (!Array.isArray(value) || value.length > MAX_OPTIONS) {
    faults.push({ path, detail: `expected an array of at most ${MAX_OPTIONS} options` });
    return [];
  }
  const values = new Set<string>();
  return value.flatMap((one: unknown, i) => {
    const at = `${path}[${i}]`;
    if (!isObject(one)) return fault(faults, at, 'expected an object with label') ?? [];
    const label = readText(one.label, MAX_LABEL, `${at}.label`, faults);
    const option = {
      label,
      value: isAbsent(one.value) ? label : readText(one.value, MAX_TEXT, `${at}.value`, faults),
      description: readWords(one.description, MAX_TEXT, `${at}.description`, faults),
    };
    if (option.value !== '' && values.has(option.value))
      fault(faults, `${at}.value`, `repeats ${shown(option.value)} of an earlier option`);
    values.add(option.value);
    return [option];
  });
}

/**
 * Reads a person's answers.
 * @param values `{ID: text or [texts]}`; for a question without `multiple`, a list of one text counts as the text
 * @param path of the values, for faults
 */
export function readAnswers(
  questions: readonly Question[],
  values: unknown,
  path: string,
): { answers: Answers } | { faults: readonly FieldFault[] } {
  if (!isObject(values)) return { faults: [{ path, detail: 'expected an object with an answer for each question' }] };
  const faults: FieldFault[] = [];
  const ids = questions.map(({ id }) => id);
  const unknown = Object.keys(values).filter((name) => !ids.includes(name));
  // Each detail lists all ids, and there may be very many unknown ones.
  for (const name of unknown.slice(0, MAX_UNKNOWN))
    faults.push({ path: `${path}.${name.slice(0, SHOWN)}`, detail: `unknown question; known are ${ids.join(', ')}` });
  const answers = questions.flatMap((question) => {
    const given = Object.hasOwn(values, question.id) ? values[question.id] : null;
    const answer = readAnswer(question, given, `${path}.${question.id}`, faults);
    return answer === null ? [] : [[question.id, answer] as const];
  });
  return faults.length > 0 ? { faults } : { answers: Object.fromEntries(answers) };
}

/** Null for no answer or a faulty one. */
function readAnswer(question: Question, value: unknown, path: string, faults: FieldFault[]): Answer | null {
  const { options, multiple, free_text, required } = question;
  const given: readonly unknown[] = Array.isArray(value) ? value : isAbsent(value) ? [] : [value];
  if (given.length === 0) return required ? fault(faults, path, 'expected an answer, got nothing') : null;
  if (!multiple && given.length > 1) return fault(faults, path, `expected one text, got ${given.length}`);
  if (given.length > MAX_CHOICES) return fault(faults, path, `expected at most ${MAX_CHOICES} texts`);
  if (!given.every((text) => isTextOf(text, MAX_ANSWER)))
    return fault(faults, path, `expected texts of 1 to ${MAX_ANSWER} characters that are not blank`);
  const chosen = options.map((option) => option.value).filter((one) => given.includes(one));
  const own = given.filter((text) => !chosen.includes(text));
  if (new Set(given).size < given.length) return fault(faults, path, 'expected each answer once');
  if (own.length > 0 && !free_text) {
    const known = options.map((option) => shown(option.value)).join(', ');
    return fault(faults, path, `${shown(own[0]!)} is none of the options ${known}`);
  }
  return multiple ? [...chosen, ...own] : given[0]!;
}

/** The answers if nobody gives any; null if a question requires a person. */
export function defaultAnswers(questions: readonly Question[]): Answers | null {
  if (questions.some((question) => question.required && question.default === null)) return null;
  const given = questions.filter((question) => question.default !== null);
  return Object.fromEntries(given.map((question) => [question.id, question.default!]));
}

/**
 * The answer in a typed line: comma-separated numbers of options, from 1, or their labels or values; otherwise the person's own words.
 * `readAnswers` checks whether the question accepts it.
 */
export function typedAnswer({ options, multiple }: Question, line: string): Answer {
  const text = line.trim();
  const whole = optionNamed(options, text);
  if (whole !== null) return whole;
  const parts = text.split(',').map((part) => optionNamed(options, part.trim()));
  if (!multiple || parts.includes(null)) return text;
  return [...new Set(parts as string[])];
}

function optionNamed(options: readonly QuestionOption[], text: string): string | null {
  const [name, number] = [text.toLowerCase(), /^\d{1,2}$/.test(text) ? Number(text) : 0];
  const isNamed = ({ label, value }: QuestionOption) => label.toLowerCase() === name || value.toLowerCase() === name;
  return (options.find(isNamed) ?? options[number - 1])?.value ?? null;
}

/**
 * Reads the member `allowed_decisions` of a tool call. Ignores unknown words, because frameworks may add some.
 * @param path of the value, for faults
 */
export function readAllowedDecisions(
  value: unknown,
  path: string,
): { allowed: readonly AllowedDecision[] } | { faults: readonly FieldFault[] } {
  const isList = Array.isArray(value) && value.length <= MAX_WORDS && value.every((word) => isTextOf(word, MAX_WORD));
  const allowed = isList ? CALL_DECISIONS.filter((word) => value.includes(word)) : [];
  if (allowed.length > 0) return { allowed };
  const words = CALL_DECISIONS.join(', ');
  return { faults: [{ path, detail: `expected an array of at most ${MAX_WORDS} words, one of them ${words}` }] };
}

function readId(value: unknown, path: string, faults: FieldFault[]): string {
  if (isTextOf(value, MAX_LABEL) && !CONTROL.test(value) && value !== '__proto__') return value;
  fault(faults, path, `expected 1 to ${MAX_LABEL} characters without control characters, not __proto__`);
  return '';
}

function readText(value: unknown, limit: number, path: string, faults: FieldFault[]): string {
  if (isTextOf(value, limit)) return value;
  fault(faults, path, `expected a string of 1 to ${limit} characters that is not blank`);
  return '';
}

/** Null if absent or blank. */
function readWords(value: unknown, limit: number, path: string, faults: FieldFault[]): string | null {
  if (isAbsent(value) || isBlank(value)) return null;
  return isTextOf(value, limit) ? value : fault(faults, path, `expected a string of at most ${limit} characters`);
}

function readFlag(value: unknown, path: string, faults: FieldFault[]): boolean {
  if (typeof value !== 'boolean') fault(faults, path, 'expected true or false');
  return value === true;
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}

function isTextOf(value: unknown, limit: number): value is string {
  if (typeof value !== 'string' || value.length > limit || isBlank(value)) return false;
  return !value.includes('\0') && value.isWellFormed();
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(text: string): string {
  return JSON.stringify(text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`);
}

function fault(faults: FieldFault[], path: string, detail: string): null {
  faults.push({ path, detail });
  return null;
}
