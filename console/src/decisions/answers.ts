import type { components } from '../api/openapi.gen.js';
import { visibleString } from '../lib/visible-text.js';
import type { Approval } from './inbox.js';

export type Call = Approval['tool_calls'][number];
type CallDecision = components['schemas']['CallDecisionDto'];
export type Question = NonNullable<Call['questions']>[number];
type Answer = NonNullable<Call['answers']>[string];

/** A person's input for one question. */
export interface Entry {
  /** Values of the chosen options. */
  chosen: readonly string[];
  /** Their own words. */
  own: string;
}

/** A person's input for an approval, as far as it concerns questions. */
export interface Entered {
  /** Indexes of calls that must not run, or that stay unanswered. */
  refused: ReadonlySet<number>;
  /** By call and question; see {@link entryOf}. */
  entries: ReadonlyMap<string, Entry>;
}

/** Characters of a question that a message repeats. */
const NAMED = 80;

/** Whether a call is a question: people answer it instead of approving it. */
export function isQuestion(call: Call): call is Call & { questions: Question[] } {
  return call.questions !== undefined;
}

/** The question, if the approval consists of exactly one. */
export function onlyQuestion({ tool_calls: calls }: Approval): { index: number; question: Question } | null {
  const [call] = calls;
  if (calls.length !== 1 || !call?.questions || call.questions.length !== 1) return null;
  return { index: call.index, question: call.questions[0]! };
}

/** The input, or the question's default before there is any. */
export function entryOf({ entries }: Pick<Entered, 'entries'>, index: number, question: Question): Entry {
  return entries.get(keyOf(index, question)) ?? defaultEntry(question);
}

export function withEntry<D extends Entered>(draft: D, index: number, question: Question, entry: Entry): D {
  return { ...draft, entries: new Map(draft.entries).set(keyOf(index, question), entry) };
}

/** After an option was pressed: for a question with one answer, it replaces the previous choice and the person's own words. */
export function chosenBy({ multiple, options }: Question, { chosen, own }: Entry, value: string): Entry {
  if (!multiple) return { chosen: [value], own: '' };
  const next = chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value];
  return { chosen: options.map((option) => option.value).filter((one) => next.includes(one)), own };
}

/** The same after a person wrote their own words. */
export function writtenBy({ multiple }: Question, { chosen }: Entry, own: string): Entry {
  return { chosen: multiple || own.trim() === '' ? chosen : [], own };
}

/** The answers to the questions of a call that is not declined, by question id. */
export function answersOf(call: Call & { questions: Question[] }, draft: Entered): Record<string, Answer> {
  const given = call.questions.map((question) => [
    question.id,
    answerOf(question, entryOf(draft, call.index, question)),
  ]);
  return Object.fromEntries(given.filter(([, answer]) => answer !== null)) as Record<string, Answer>;
}

/** Why the questions cannot be answered as entered; null if they can. */
export function answersFault({ tool_calls, tool_calls_cut }: Approval, draft: Entered): string | null {
  if (tool_calls_cut) return 'The questions are too large to show: they cannot be answered here.';
  const asked = tool_calls.filter(isQuestion).filter(({ index }) => !draft.refused.has(index));
  if (asked.length === 0) return 'No question is answered: decline them, or answer one.';
  for (const { index, questions } of asked) {
    const open = questions.find((one) => one.required && answerOf(one, entryOf(draft, index, one)) === null);
    if (open)
      return `“${visibleString(open.text.slice(0, NAMED))}${open.text.length > NAMED ? '…' : ''}” needs an answer.`;
  }
  return null;
}

/** The answers, and the decisions on all other calls, each of which needs one. */
export function answerParts(calls: readonly Call[], draft: Entered, edited: readonly CallDecision[]) {
  const answers = calls
    .filter(isQuestion)
    .filter(({ index }) => !draft.refused.has(index))
    .map((call) => ({ index: call.index, values: answersOf(call, draft) }));
  const decisions = calls
    .filter((call) => !isQuestion(call) || draft.refused.has(call.index))
    .map(({ index }) => edited.find((one) => one.index === index) ?? { index, decision: 'approve' as const });
  return { answers, ...(decisions.length > 0 && { decisions }) };
}

/** An answer for people: the labels of the chosen options and the person's own words. */
export function answerText({ options }: Question, answer: Answer | undefined): string {
  if (answer === undefined) return 'no answer';
  const labels = new Map(options.map(({ value, label }) => [value, label]));
  return [answer]
    .flat()
    .map((value) => labels.get(value) ?? value)
    .join(', ');
}

function answerOf({ multiple }: Question, { chosen, own }: Entry): Answer | null {
  const texts = own.trim() === '' ? [...chosen] : [...chosen, own.trim()];
  if (texts.length === 0) return null;
  return multiple ? texts : texts[0]!;
}

function defaultEntry({ options, default: given }: Question): Entry {
  const texts = [given ?? []].flat();
  const values = options.map(({ value }) => value);
  return {
    chosen: texts.filter((text) => values.includes(text)),
    own: texts.find((text) => !values.includes(text)) ?? '',
  };
}

function keyOf(index: number, { id }: Question): string {
  return `${index} ${id}`;
}
