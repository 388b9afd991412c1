import { readAnswers, typedAnswer, type Answer, type Question } from '../common/contract/questions.js';
import { chooseApproval, type Address } from './approval-choice.js';
import { report, type DecisionOptions } from './approval-decision.js';
import { readApproval, type ApprovalCall, type ApprovalRecord } from './approval-record.js';
import { CliError, UsageError } from './cli-error.js';
import { connect } from './connect.js';
import { printable } from './printable.js';
import type { Terminal } from './terminal.js';
import { userName } from './user-name.js';

export interface AnswerOptions extends Pick<DecisionOptions, 'reason' | 'by' | 'thread' | 'digest' | 'json'> {
  /** Numbers, labels or values of options. */
  option?: string[];
  text?: string;
  /** JSON: answers by question id; for several calls a list of such objects, in order. */
  values?: string;
  /** The decision on calls that ask no questions. */
  others?: 'approve' | 'reject';
}

interface CallAnswers {
  index: number;
  values: unknown;
}

/** Answers the question at the address, or the one that the person chooses. @throws CliError when nothing is answered */
export async function answerQuestions(address: Address, options: AnswerOptions, terminal: Terminal): Promise<void> {
  const client = connect();
  const record = await chooseApproval(client, 'answer', { ...address, ...options }, terminal);
  const { trace_id, step, thread_id, digest } = record;
  const body = {
    ...{ digest, reason: options.reason, decided_by: options.by ?? userName() },
    answers: await answersOf(record, options, terminal),
    decisions: await decisionsOf(record, options, terminal),
  };
  const path = `/approvals/${encodeURIComponent(trace_id)}/${step}/answer?${new URLSearchParams({ thread_id })}`;
  const answered = readApproval(await client.sendForText('POST', path, JSON.stringify(body)));
  if (options.json) terminal.print(answered.json);
  else report(answered, terminal);
}

async function answersOf(
  { calls }: ApprovalRecord,
  { option, text, values }: AnswerOptions,
  terminal: Terminal,
): Promise<CallAnswers[]> {
  const asking = calls.filter(({ questions }) => questions !== null);
  if ([option, text, values].filter((one) => one !== undefined).length > 1)
    throw new UsageError('Give one of --option, --text and --values.');
  if (values !== undefined) return fromValues(asking, values);
  if (option !== undefined || text !== undefined) return fromWords(asking, option, text);
  const answers: CallAnswers[] = [];
  for (const { index, questions } of asking) answers.push({ index, values: await askAll(questions ?? [], terminal) });
  return answers;
}

function fromValues(asking: readonly ApprovalCall[], text: string): CallAnswers[] {
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch {
    throw new UsageError('--values: expected JSON, such as {"q0":"blue"}.');
  }
  const list: unknown[] = Array.isArray(values) ? values : [values];
  if (asking.length > 0 && list.length !== asking.length)
    throw new UsageError(`--values: ${asking.length} calls ask questions; give a list with an object for each.`);
  return asking.map(({ index }, i) => ({ index, values: list[i] }));
}

/** Plain words answer a single question. */
function fromWords(
  asking: readonly ApprovalCall[],
  option: string[] | undefined,
  text: string | undefined,
): CallAnswers[] {
  const questions = asking.flatMap((call) => call.questions ?? []);
  if (questions.length > 1)
    throw new UsageError(`There are ${questions.length} questions: answer them on a terminal, or with --values.`);
  const [question, call] = [questions[0], asking[0]];
  if (!question || !call) return [];
  const chosen = option?.flatMap((word) => typedAnswer(question, word));
  return [{ index: call.index, values: { [question.id]: chosen ?? text } }];
}

async function askAll(questions: readonly Question[], terminal: Terminal): Promise<Record<string, Answer>> {
  const { keyboard } = terminal;
  if (!keyboard) throw new UsageError('Nobody is here to answer: give --option, --text or --values.');
  const answers: Record<string, Answer> = {};
  for (const question of questions) {
    const answer = await askOne(question, terminal);
    if (answer !== null) answers[question.id] = answer;
  }
  return answers;
}

/** Repeats the question until it accepts the answer. Null if an optional one is left out. */
async function askOne(question: Question, { keyboard, printError }: Terminal): Promise<Answer | null> {
  printError(printable(question.header === null ? question.text : `${question.header}: ${question.text}`));
  for (const [i, { label, description }] of question.options.entries())
    printError(printable(`  ${i + 1}  ${label}${description === null ? '' : `  ${description}`}`));
  for (;;) {
    const line = await keyboard!.ask({ question: hintFor(question) });
    if (line.trim() === '' && !question.required) return null;
    const answer = typedAnswer(question, line);
    const read = readAnswers([question], { [question.id]: answer }, '');
    if ('answers' in read) return answer;
    printError(printable(read.faults.map(({ detail }) => detail).join('; ')));
  }
}

function hintFor({ options, multiple, free_text, required }: Question): string {
  const numbers = multiple ? 'numbers, with commas' : 'a number';
  const ways = [...(options.length > 0 ? [numbers] : []), ...(free_text ? ['your own words'] : [])].join(', or ');
  return `Your answer (${ways}${required ? '' : '; Enter for none'})`;
}

async function decisionsOf({ calls }: ApprovalRecord, { others }: AnswerOptions, terminal: Terminal) {
  const left = calls.filter(({ questions }) => questions === null);
  if (left.length === 0 || left.length === calls.length) return undefined;
  const decision = others ?? (await askForOthers(left, terminal));
  return left.map(({ index }) => ({ index, decision }));
}

async function askForOthers(left: readonly ApprovalCall[], { keyboard, printError }: Terminal) {
  if (!keyboard)
    throw new UsageError('Other calls wait beside the questions: say --others approve or --others reject.');
  for (const { name, args } of left) printError(`${printable(name ?? '-')}(${printable(args)})`);
  const isSure = await keyboard.confirm({ question: 'Approve these calls, too?', isDefault: false });
  if (isSure) return 'approve';
  if (await keyboard.confirm({ question: 'Reject them?', isDefault: false })) return 'reject';
  throw new CliError('Nothing is decided.');
}
