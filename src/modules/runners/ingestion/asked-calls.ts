import {
  MAX_ALLOWED_DECISIONS_BYTES,
  MAX_CALLS_WITH_QUESTIONS,
  MAX_QUESTION_CALL_BYTES,
  readAllowedDecisions,
  readQuestions,
} from '../../../common/contract/questions.js';
import type { FieldFault } from '../../../common/domain-error.js';
import { elementsOf, isNull, pick } from '../../../common/exact-values.js';
import { MAX_PARSED_LENGTH } from '../../../common/json-limits.js';

const PATH = 'data.pending_tool_calls';
/** A list of calls may have thousands. */
const MAX_FAULTS = 20;

/**
 * Checks what calls ask of people: their `questions` and `allowed_decisions`, as far as the agent declares to read the answers. What
 * nobody could answer, or be shown whole, must not wait.
 * @param calls exact JSON of `pending_tool_calls`
 * @param features `approval_features` of the checkpoint
 */
export function checkAskedCalls(calls: Buffer, features: readonly string[], faults: FieldFault[]): void {
  const mayAsk = features.includes('answer');
  if (!mayAsk && !features.includes('per_call')) return;
  const found: FieldFault[] = [];
  const elements = elementsOf(calls) ?? [];
  let isAsking = false;
  for (const [i, call] of elements.entries()) {
    const [questions, allowed] = pick(call, ['questions', 'allowed_decisions']).map(valueOrNull);
    const isQuestion = mayAsk && questions !== null;
    isAsking ||= isQuestion;
    if (isQuestion) found.push(...faultsOfQuestions(call, questions!, `${PATH}[${i}]`));
    if (allowed) found.push(...faultsOfAllowed(allowed, isQuestion, `${PATH}[${i}].allowed_decisions`));
    if (found.length >= MAX_FAULTS) break;
  }
  if (isAsking && elements.length > MAX_CALLS_WITH_QUESTIONS)
    found.unshift({ path: PATH, detail: `with questions, expected at most ${MAX_CALLS_WITH_QUESTIONS} calls` });
  if (isAsking && calls.length > MAX_PARSED_LENGTH)
    found.unshift({ path: PATH, detail: `with questions, expected at most ${MAX_PARSED_LENGTH} bytes in all` });
  faults.push(...found.slice(0, MAX_FAULTS));
}

function faultsOfQuestions(call: Buffer, questions: Buffer, path: string): readonly FieldFault[] {
  if (call.length > MAX_QUESTION_CALL_BYTES)
    return [{ path, detail: `with questions, expected at most ${MAX_QUESTION_CALL_BYTES} bytes, got ${call.length}` }];
  const read = readQuestions(JSON.parse(questions.toString()), `${path}.questions`);
  return 'faults' in read ? read.faults : [];
}

function faultsOfAllowed(allowed: Buffer, isQuestion: boolean, path: string): readonly FieldFault[] {
  const isShort = allowed.length <= MAX_ALLOWED_DECISIONS_BYTES;
  const read = readAllowedDecisions(isShort ? JSON.parse(allowed.toString()) : null, path);
  if ('faults' in read) return read.faults;
  const isAnswerable = !isQuestion || read.allowed.includes('respond');
  return isAnswerable ? [] : [{ path, detail: 'expected respond among them, because the call has questions' }];
}

function valueOrNull(value: Buffer | undefined): Buffer | null {
  return value === undefined || isNull(value) ? null : value;
}
