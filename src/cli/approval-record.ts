import type { Answers, Question } from '../common/contract/questions.js';
import type { ApiClient, Query } from './api-client.js';
import { membersOf, singleLine } from './json-members.js';
import { printable } from './printable.js';

export interface ApprovalCall {
  index: number;
  id: string | null;
  name: string | null;
  /** Exact JSON: the edited arguments, which the agent executes, otherwise the reported ones. */
  args: string;
  decision: 'approve' | 'reject' | 'answer' | null;
  /** For this call alone. */
  reason: string | null;
  /** Its questions; null if it asks none. */
  questions: readonly Question[] | null;
  answers: Answers | null;
}

/** What a person needs to know of an approval. Arguments are exact JSON, so that nobody approves a rounded number. */
export interface ApprovalRecord {
  trace_id: string;
  step: number;
  thread_id: string;
  agent_id: string;
  parent_trace_id: string | null;
  kind?: 'approval' | 'question';
  status: string;
  digest: string;
  created_at: string;
  decided_by: string | null;
  decided_through: string | null;
  reason: string | null;
  calls: ApprovalCall[];
  /** The record as the server sent it, on one line. */
  json: string;
}

/** All approvals that match the query. */
export async function* fetchApprovals(client: ApiClient, query: Query): AsyncGenerator<ApprovalRecord> {
  for await (const json of client.items('/approvals', query)) yield readApproval(json);
}

export function readApproval(json: string): ApprovalRecord {
  const record = JSON.parse(json) as Omit<ApprovalRecord, 'calls' | 'json'>;
  const calls = membersOf(json, ['tool_calls']).filter(({ name }) => name === 'tool_calls');
  return { ...record, calls: calls.map(({ text }) => readCall(text)), json: singleLine(json) };
}

function readCall(json: string): ApprovalCall {
  const texts = Object.fromEntries(membersOf(json).map(({ name, text }) => [name, text]));
  const { args = '', edited_args: edited = 'null' } = texts;
  const call = JSON.parse(json) as Partial<ApprovalCall>;
  const { index, id = null, name = null, decision = null, reason = null, questions = null, answers = null } = call;
  return { index: index!, id, name, decision, reason, questions, answers, args: edited === 'null' ? args : edited };
}

/** A call for people: `send_mail({"to":"ada"})`, or its questions. */
export function callText({ name, args, questions }: Pick<ApprovalCall, 'name' | 'args' | 'questions'>): string {
  return questions ? questionsText(questions) : `${printable(name ?? '-')}(${printable(args)})`;
}

/** On one line: `Which colour? 1 Red, 2 Blue`. */
export function questionsText(questions: readonly Question[]): string {
  const texts = questions.map(({ text, options }) =>
    [text, options.map(({ label }, i) => `${i + 1} ${label}`).join(', ')].filter(Boolean).join(' '),
  );
  return printable(texts.join(' / '));
}

/** On one line: `q0=blue, q1=red+green`. */
export function answersText(answers: Answers): string {
  return printable(
    Object.entries(answers)
      .map(([id, answer]) => `${id}=${[answer].flat().join('+')}`)
      .join(', '),
  );
}

export function namesOf(calls: readonly Pick<ApprovalCall, 'name'>[]): string {
  return calls.map(({ name }) => printable(name ?? '-')).join(', ');
}
