import type { FieldFault } from '../../../common/domain-error.js';
import { JsonScanner } from '../../../common/json-scanner.js';
import { parseJsonBody, textStart } from '../../../http/body/json-body.js';
import { invalidDecision } from '../approvals.errors.js';
import type { Verb } from '../approval.entity.js';
import type { AnswerCommand, CallAnswers } from './answer.js';
import type { CallDecision, DecisionCommand } from './decision.js';

const MAX_TEXT = 4_000;
const MEMBERS = ['reason', 'decided_by', 'digest', 'decisions'];
const ANSWER_MEMBERS = ['answers', ...MEMBERS];
const CALL_MEMBERS = ['index', 'decision', 'args', 'reason'];
const CALL_ANSWER_MEMBERS = ['index', 'values'];

type Values = Record<string, unknown>;

/**
 * Reads the optional body of a decision. Edited arguments stay exact text, so large numbers keep all digits.
 * @throws DomainError `invalid` that names every faulty member
 */
export function readDecision(body: Buffer, verb: Verb): DecisionCommand {
  const { value, faults } = readMembers(body, MEMBERS);
  if (faults.length > 0) throw invalidDecision(faults);
  return { verb, ...partsOf(value, body) };
}

/** The same with answers, which are checked later, against the questions. */
export function readAnswer(body: Buffer): AnswerCommand {
  const { value, faults } = readMembers(body, ANSWER_MEMBERS);
  const { answers } = value;
  if (Array.isArray(answers)) answers.forEach((one, i) => checkAnswers(one, `answers[${i}]`, faults));
  else faults.push({ path: 'answers', detail: 'expected an array' });
  if (faults.length > 0) throw invalidDecision(faults);
  return { verb: 'answer', answers: answers as CallAnswers[], ...partsOf(value, body) };
}

/** @throws DomainError `invalid` for anything but an object */
function readMembers(body: Buffer, members: readonly string[]): { value: Values; faults: FieldFault[] } {
  const value = body.length === 0 ? {} : parseJsonBody(body);
  const faults: FieldFault[] = [];
  if (!isObject(value)) throw invalidDecision([{ path: 'body', detail: 'expected a JSON object' }]);
  checkNames(value, members, '', faults);
  for (const name of ['reason', 'decided_by', 'digest']) checkText(value[name], name, faults);
  const calls = value.decisions ?? [];
  if (!Array.isArray(calls)) faults.push({ path: 'decisions', detail: 'expected an array' });
  else calls.forEach((call, i) => checkCall(call, `decisions[${i}]`, faults));
  return { value, faults };
}

/** Expects a body that was checked. */
function partsOf(value: Values, body: Buffer): Omit<DecisionCommand, 'verb'> {
  const args = body.length === 0 ? [] : argumentTexts(body);
  const calls = (value.decisions ?? []) as Values[];
  return {
    reason: (value.reason as string | undefined) ?? null,
    decidedBy: (value.decided_by as string | undefined) ?? null,
    digest: (value.digest as string | undefined) ?? null,
    decisions: calls.map((call, i) => toDecision(call, args[i] ?? null)),
  };
}

function toDecision(call: Values, args: string | null): CallDecision {
  return {
    index: call.index as number,
    decision: call.decision as Verb,
    args,
    reason: (call.reason as string | undefined) ?? null,
  };
}

function checkCall(call: unknown, path: string, faults: FieldFault[]): void {
  if (!isObject(call)) return void faults.push({ path, detail: 'expected an object' });
  checkNames(call, CALL_MEMBERS, `${path}.`, faults);
  checkIndex(call.index, path, faults);
  if (call.decision !== 'approve' && call.decision !== 'reject') {
    faults.push({ path: `${path}.decision`, detail: 'expected approve or reject' });
  }
  checkText(call.reason, `${path}.reason`, faults);
}

function checkAnswers(answers: unknown, path: string, faults: FieldFault[]): void {
  if (!isObject(answers)) return void faults.push({ path, detail: 'expected an object' });
  checkNames(answers, CALL_ANSWER_MEMBERS, `${path}.`, faults);
  checkIndex(answers.index, path, faults);
}

function checkIndex(index: unknown, path: string, faults: FieldFault[]): void {
  const isFine = Number.isInteger(index) && Number(index) >= 0;
  if (!isFine) faults.push({ path: `${path}.index`, detail: 'expected an integer from 0' });
}

function checkText(value: unknown, path: string, faults: FieldFault[]): void {
  if (value === undefined || value === null) return;
  const isFine = typeof value === 'string' && value.length <= MAX_TEXT && !value.includes('\0') && value.isWellFormed();
  if (!isFine) faults.push({ path, detail: `expected a string of at most ${MAX_TEXT} characters` });
}

function checkNames(value: Values, known: readonly string[], prefix: string, faults: FieldFault[]): void {
  for (const name of Object.keys(value)) {
    if (!known.includes(name))
      faults.push({ path: prefix + name, detail: `unknown member; known are ${known.join(', ')}` });
  }
}

/** The exact texts of `decisions[i].args`; null if absent. Expects a body that was checked. */
function argumentTexts(body: Buffer): (string | null)[] {
  const texts: (string | null)[] = [];
  const scanner = new JsonScanner(body, { from: textStart(body) });
  scanner.members((name) => {
    if (name !== 'decisions' || !scanner.isArray()) return void scanner.value();
    texts.length = 0;
    scanner.elements(() => texts.push(argumentText(scanner)));
  });
  return texts;
}

function argumentText(scanner: JsonScanner): string | null {
  let args: string | null = null;
  scanner.members((name) => {
    const [from, to] = scanner.value();
    const text = scanner.bytes.toString('utf8', from, to);
    if (name === 'args') args = text === 'null' ? null : text;
  });
  return args;
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
