import {
  readAnswers,
  typedAnswer,
  type Answer,
  type Question,
  type QuestionOption,
} from '../../../../common/contract/questions.js';
import { cutText } from '../../../../common/cut-text.js';
import { escapeInvisible } from '../../../../common/invisible-characters.js';
import type { ApprovalFacts, CallFacts } from '../../../approvals/approvals-lookup.service.js';
import { escapeMarkdown } from './escape-markdown.js';

/** A question, and the call that asks it. */
export interface AskedQuestion {
  index: number;
  question: Question;
}

/** Answers, by the call that asked. */
export type GivenAnswers = { index: number; values: Record<string, Answer> }[];

const MAX_HINT_TEXT = 100;
/** In a reply: no answer to this question. */
const NONE = '-';

/** The questions that a person in a chat can answer; null if the calls are cut, or one of them cannot be answered with text. */
export function askedQuestions({ calls, isCut }: Pick<ApprovalFacts, 'calls' | 'isCut'>): AskedQuestion[] | null {
  if (isCut || calls.length === 0 || !calls.every(isAnswerable)) return null;
  return calls.flatMap(({ questions = [] }, index) => questions.map((question) => ({ index, question })));
}

function isAnswerable({ questions, allowed }: CallFacts): boolean {
  return questions !== undefined && (allowed === undefined || allowed.includes('respond'));
}

/** The options that get buttons: those of a single question with one choice, if all fit. */
export function buttonOptions(asked: readonly AskedQuestion[], maxButtons: number): readonly QuestionOption[] {
  const [{ question } = {}] = asked;
  if (!question || asked.length > 1 || question.multiple || question.options.length > maxButtons) return [];
  return question.options;
}

/** The questions in Markdown, and how to answer them. */
export function questionsBody(asked: readonly AskedQuestion[], hasButtons: boolean): string {
  const isForm = asked.length > 1;
  const blocks = asked.map(({ question }, i) => questionBlock(question, isForm ? `**Line ${i + 1}:** ` : ''));
  return [...blocks, howToAnswer(asked, hasButtons)].join('\n\n');
}

function questionBlock(question: Question, prefix: string): string {
  const { header, text, options, required } = question;
  const lines = [
    ...(header === null ? [] : [`**${shown(header)}**`]),
    `${prefix}${shown(text)}${required ? '' : ' (optional)'}`,
    ...options.map(({ label, description }, i) => {
      const more = description === null ? '' : `: ${shown(description)}`;
      return `${i + 1}\\. ${shown(label)}${more}`;
    }),
  ];
  return lines.join('\n');
}

function howToAnswer(asked: readonly AskedQuestion[], hasButtons: boolean): string {
  const [{ question } = {}] = asked;
  if (asked.length > 1 || !question) {
    const ways = asked.map((one, i) => `Line ${i + 1}: ${waysOf(one.question)}.`);
    return [`Reply to this message with ${asked.length} lines, one for each question.`, ...ways].join('\n');
  }
  return `${hasButtons ? 'Press a button, or reply' : 'Reply'} to this message with ${waysOf(question)}.`;
}

/** What an answer may be, in words. */
function waysOf({ options, multiple, free_text, required }: Question): string {
  const range = options.length === 1 ? '1' : `1 to ${options.length}`;
  const numbers = multiple ? `numbers from ${range} with commas between them` : `a number from ${range}`;
  const ways = [
    ...(options.length > 0 ? [numbers, 'a label'] : []),
    ...(free_text ? ['your own words'] : []),
    ...(required ? [] : [`${NONE} for none`]),
  ];
  return ways.length === 1 ? ways[0]! : `${ways.slice(0, -1).join(', ')} or ${ways.at(-1)}`;
}

/** The answers in a reply, or a hint in Markdown about what is possible. */
export function readReply(asked: readonly AskedQuestion[], text: string): { answers: GivenAnswers } | { hint: string } {
  const isForm = asked.length > 1;
  const lines = isForm ? text.trim().split('\n') : [text];
  if (lines.length > asked.length) return { hint: howToAnswer(asked, false) };
  const answers: GivenAnswers = [];
  const faults: string[] = [];
  for (const [i, { index, question }] of asked.entries()) {
    if (answers.at(-1)?.index !== index) answers.push({ index, values: {} });
    const line = (lines[i] ?? '').trim();
    if (!question.required && ['', NONE].includes(line)) continue;
    const answer = typedAnswer(question, line);
    if ('answers' in readAnswers([question], { [question.id]: answer }, ''))
      answers.at(-1)!.values[question.id] = answer;
    else faults.push(`${isForm ? `Line ${i + 1}: ` : ''}${hintFor(question)}`);
  }
  return faults.length > 0 ? { hint: faults.join('\n') } : { answers };
}

function hintFor(question: Question): string {
  return `That is no answer to “${shown(cutText(question.text, MAX_HINT_TEXT))}”. Possible: ${waysOf(question)}.`;
}

/** The answers, in the words that people saw; empty if nothing is known. */
export function saidIn(calls: readonly CallFacts[], limit: number): string {
  const said = calls.flatMap(({ questions = [], answers = {} }) =>
    questions.flatMap((question) => {
      const answer = Object.hasOwn(answers, question.id) ? answers[question.id]! : [];
      return [answer].flat().map((one) => question.options.find(({ value }) => value === one)?.label ?? one);
    }),
  );
  return escapeMarkdown(cutText(escapeInvisible(said.join(', ')), limit));
}

/** Keeps line breaks. */
function shown(text: string): string {
  return escapeInvisible(text, '\n\t').split('\n').map(escapeMarkdown).join('\n');
}
