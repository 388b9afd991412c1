import { collected, type ApiClient, type Query } from './api-client.js';
import { callText, fetchApprovals, namesOf, type ApprovalRecord } from './approval-record.js';
import { CliError, UsageError } from './cli-error.js';
import { findByPrefix, findThreadId } from './ids.js';
import { ageOf } from './local-time.js';
import { MAX_DETAILS } from './prompts.js';
import { printable } from './printable.js';
import { isRun } from './run-address.js';
import type { Terminal } from './terminal.js';
import { truncate, wrapLines } from './text-width.js';

export type Verb = 'approve' | 'reject' | 'answer';

const WORDS: Record<Verb, string> = { approve: 'Approve', reject: 'Reject', answer: 'Answer' };

/** How a person named an approval. */
export interface Address {
  /** The id of the run, or a prefix of it. */
  trace?: string;
  step?: number;
  thread?: string;
  digest?: string;
}

/** Lines of a call's arguments that the picker shows. */
const CALL_LINES = 3;
const DETAIL_INDENT = 8;

/**
 * The only pending approval at the address. If there are several, the person at the terminal chooses. If there is none, the newest closed
 * one, so that the server can say what became of it.
 * @throws CliError when there is none, when the person leaves, or when several are pending and there is no terminal
 */
export async function chooseApproval(
  client: ApiClient,
  verb: Verb,
  address: Address,
  terminal: Terminal,
): Promise<ApprovalRecord> {
  const threadId = address.thread && (await findThreadId(client, address.thread));
  const found = await findAt(client, address, threadId);
  const isMeant = ({ status, kind }: ApprovalRecord) =>
    status === 'pending' && (verb === 'reject' || (kind === 'question') === (verb === 'answer'));
  const meant = found.filter(isMeant);
  // If nothing of this kind is pending, the server's refusal says what to do instead.
  const waiting = meant.length > 0 || !isNamed(address) ? meant : found.filter(({ status }) => status === 'pending');
  if (waiting.length === 1 && isNamed(address)) return waiting[0]!;
  if (waiting.length > 0) return pickOne(verb, waiting, address, terminal);
  const closed = found.at(-1);
  if (closed) return closed;
  const none = 'There is no such approval; `waystation approvals` lists waiting ones.';
  throw new CliError(address.trace === undefined ? 'Nothing waits for a person.' : none);
}

/**
 * The pending approval of a run or a thread, otherwise the newest closed one. Never asks.
 * @throws CliError when there is none; with exit code 2, naming them, when several are pending
 */
export async function findApproval(client: ApiClient, address: Address): Promise<ApprovalRecord> {
  const threadId = address.thread && (await findThreadId(client, address.thread));
  const found = await findAt(client, address, threadId);
  const waiting = found.filter(({ status }) => status === 'pending');
  if (waiting.length > 1) throw severalWait(waiting);
  const ofThread = async () => collected(fetchApprovals(client, { status: 'all', thread_id: threadId }));
  const closed = address.trace === undefined ? await ofThread() : found;
  const one = waiting[0] ?? closed.at(-1);
  if (one) return one;
  throw new CliError('There is no such approval; `waystation approvals --status all` lists all.');
}

/** Whether the person named a run or a thread. */
const isNamed = ({ trace, thread }: Address) => trace !== undefined || thread !== undefined;

/** A full id takes precedence over prefixes: it must not select another run's approvals. */
async function findAt(
  client: ApiClient,
  { trace, step, digest }: Address,
  threadId: string | undefined,
): Promise<ApprovalRecord[]> {
  const isMeant = (one: ApprovalRecord) =>
    (threadId === undefined || one.thread_id === threadId) &&
    (step === undefined || one.step === step) &&
    (digest === undefined || one.digest === digest);
  const find = (query: Query) => collected(fetchApprovals(client, query));
  const pending = async () => (await find({ status: 'pending', thread_id: threadId })).filter(isMeant);
  if (trace === undefined) return pending();
  const ofRun = await find({ status: 'all', trace_id: trace });
  if (ofRun.length > 0 || (await isRun(client, trace))) return ofRun.filter(isMeant);
  return waitingRun(await pending(), trace);
}

/** The pending approvals of the only run whose id has this prefix. */
async function waitingRun(waiting: readonly ApprovalRecord[], prefix: string): Promise<ApprovalRecord[]> {
  if (!waiting.some(({ trace_id }) => trace_id.startsWith(prefix))) return [];
  const run = await findByPrefix(prefix, { noun: 'run', items: waiting, idOf: ({ trace_id }) => trace_id });
  return waiting.filter(({ trace_id }) => trace_id === run.trace_id);
}

async function pickOne(
  verb: Verb,
  waiting: readonly ApprovalRecord[],
  address: Address,
  { keyboard, printError, width = 80 }: Terminal,
): Promise<ApprovalRecord> {
  if (keyboard === undefined) {
    if (!isNamed(address))
      throw new UsageError('Say which: a trace and a step, as `waystation approvals` lists them, or --thread.');
    throw severalWait(waiting);
  }
  const entries = waiting.map((approval) => entryOf(approval, width - DETAIL_INDENT));
  const question = verb === 'answer' ? 'Which questions do you answer?' : `Which tool calls do you ${verb}?`;
  const index = await keyboard.pick({ question, choices: entries.map(({ lines }) => lines) });
  const chosen = waiting[index]!;
  // Nobody should decide unseen arguments: calls that the list truncated are shown in full first.
  if (entries[index]!.isTruncated) {
    for (const call of chosen.calls) printError(callText(call));
    const isSure = await keyboard.confirm({
      question: `${WORDS[verb]} this?`,
      isDefault: false,
    });
    if (!isSure) throw new CliError('Nothing is decided.');
  }
  return chosen;
}

function entryOf({ agent_id, trace_id, step, created_at, calls }: ApprovalRecord, columns: number) {
  const names = namesOf(calls);
  const line = `${names}  ${printable(agent_id)}, ${ageOf(created_at, Date.now())} ago, ${printable(trace_id)} step ${step}`;
  const whole = calls.map((call) => [...wrapLines(callText(call), columns)]);
  const details = whole.flatMap((lines) => shortened(lines, columns));
  const isTruncated = details.length > MAX_DETAILS || whole.some((lines) => lines.length > CALL_LINES);
  return { lines: [line, ...details] as [string, ...string[]], isTruncated };
}

function shortened(lines: readonly string[], columns: number): string[] {
  if (lines.length <= CALL_LINES) return [...lines];
  return [...lines.slice(0, CALL_LINES - 1), truncate(`${lines[CALL_LINES - 1]!}…`, columns)];
}

function severalWait(waiting: readonly ApprovalRecord[]): UsageError {
  return new UsageError(`More than one approval waits there; choose one:\n${hints(waiting)}`);
}

function hints(approvals: readonly ApprovalRecord[]): string {
  return approvals
    .map(({ thread_id, trace_id, step, digest, calls }) => {
      const names = namesOf(calls);
      return `  ${printable(trace_id)} ${step} --thread ${printable(thread_id)} --digest ${digest}  ${names}`;
    })
    .join('\n');
}
