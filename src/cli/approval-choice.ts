import type { ApiClient } from './api-client.js';
import type { ApprovalRecord } from './approval-record.js';
import { ageOf, fetchApprovals } from './approvals.command.js';
import { CliError } from './cli-error.js';
import { findByBeginning, findThreadId } from './ids.js';
import { MAX_DETAILS } from './pick.js';
import { printable } from './printable.js';
import { isRun } from './run-address.js';
import type { Terminal } from './terminal.js';
import { cut, wrapped } from './text-width.js';

export type Verb = 'approve' | 'reject';

/** What a person gave to say which approval is meant. */
export interface Address {
  /** The id of the run, or its beginning. */
  trace?: string;
  step?: number;
  thread?: string;
  digest?: string;
}

const MISUSED = 2;
const NONE = 'There is no such approval; `waystation approvals` lists waiting ones.';
/** Lines of arguments that the picker shows of a call. */
const CALL_LINES = 3;
const DETAIL_INDENT = 8;

/**
 * The one approval that can be meant: of those that wait, else the newest of the closed ones, so that the server can say what became of it.
 * Where several wait, the person on the terminal chooses.
 * @throws CliError when there is none, when the person leaves, or when more than one waits and nobody can choose
 */
export async function chooseApproval(
  client: ApiClient,
  verb: Verb,
  address: Address,
  terminal: Terminal,
): Promise<ApprovalRecord> {
  const thread: Record<string, string> =
    address.thread === undefined ? {} : { thread_id: await findThreadId(client, address.thread) };
  const found = await findAt(client, address, thread);
  const waiting = found.filter(({ status }) => status === 'pending');
  if (waiting.length === 1 && isNamed(address)) return waiting[0]!;
  if (waiting.length > 0) return pickOne(verb, waiting, address, terminal);
  const closed = found.at(-1);
  if (closed) return closed;
  throw new CliError(address.trace === undefined ? 'Nothing waits for a person.' : NONE);
}

/** Whether the person said which: the run, or the thread in which it waits. */
const isNamed = ({ trace, thread }: Address) => trace !== undefined || thread !== undefined;

/** A beginning decides only where no run has the text as its whole id: what waits of another run must not take its place. */
async function findAt(
  client: ApiClient,
  { trace, step, digest }: Address,
  thread: Record<string, string>,
): Promise<ApprovalRecord[]> {
  const isMeant = (one: ApprovalRecord) =>
    (thread.thread_id === undefined || one.thread_id === thread.thread_id) &&
    (step === undefined || one.step === step) &&
    (digest === undefined || one.digest === digest);
  const search = async (query: Record<string, string>) => {
    const found: ApprovalRecord[] = [];
    for await (const one of fetchApprovals(client, query)) found.push(one);
    return found;
  };
  const pending = async () => (await search({ status: 'pending', ...thread })).filter(isMeant);
  if (trace === undefined) return pending();
  const ofRun = await search({ status: 'all', trace_id: trace });
  if (ofRun.length > 0 || (await isRun(client, trace))) return ofRun.filter(isMeant);
  return waitingRun(await pending(), trace);
}

/** What waits of the only run whose id begins so. */
async function waitingRun(waiting: readonly ApprovalRecord[], begin: string): Promise<ApprovalRecord[]> {
  if (!waiting.some(({ trace_id }) => trace_id.startsWith(begin))) return [];
  const run = await findByBeginning(begin, { noun: 'run', items: waiting, idOf: ({ trace_id }) => trace_id });
  return waiting.filter(({ trace_id }) => trace_id === run.trace_id);
}

async function pickOne(
  verb: Verb,
  waiting: readonly ApprovalRecord[],
  address: Address,
  terminal: Terminal,
): Promise<ApprovalRecord> {
  if (terminal.pick === undefined) {
    if (!isNamed(address))
      throw new CliError('Say which: a trace and a step, as `waystation approvals` lists them, or --thread.', MISUSED);
    throw new CliError(`More than one approval waits there; choose one:\n${hints(waiting)}`, MISUSED);
  }
  const columns = (terminal.width ?? 80) - DETAIL_INDENT;
  const entries = waiting.map((approval) => entryOf(approval, columns));
  const index = await terminal.pick({
    question: `Which tool calls do you ${verb}?`,
    choices: entries.map(({ lines }) => lines),
  });
  const chosen = waiting[index]!;
  if (entries[index]!.isCut) await confirm(verb, chosen, terminal);
  return chosen;
}

/** Nobody decides what is not to be seen: calls that the picker had to cut are shown whole first. */
async function confirm(verb: Verb, { calls }: ApprovalRecord, { ask, complain }: Terminal): Promise<void> {
  for (const { name, args } of calls) complain(`${printable(name ?? '-')}(${printable(args)})`);
  const answer =
    (await ask?.({ question: `${verb === 'approve' ? 'Approve' : 'Reject'} this? [y/N]`, isHidden: false })) ?? '';
  if (!/^y/i.test(answer.trim())) throw new CliError('Nothing is decided.');
}

function entryOf({ agent_id, trace_id, step, created_at, calls }: ApprovalRecord, columns: number) {
  const names = calls.map(({ name }) => printable(name ?? '-')).join(', ');
  const line = `${names}  ${printable(agent_id)}, ${ageOf(created_at, Date.now())} ago, ${printable(trace_id)} step ${step}`;
  const whole = calls.map(({ name, args }) => [...wrapped(`${printable(name ?? '-')}(${printable(args)})`, columns)]);
  const details = whole.flatMap((lines) => shortened(lines, columns));
  const isCut = details.length > MAX_DETAILS || whole.some((lines) => lines.length > CALL_LINES);
  return { lines: [line, ...details] as [string, ...string[]], isCut };
}

function shortened(lines: readonly string[], columns: number): string[] {
  if (lines.length <= CALL_LINES) return [...lines];
  return [...lines.slice(0, CALL_LINES - 1), `${cut(lines[CALL_LINES - 1]!, columns - 1)}…`];
}

function hints(approvals: readonly ApprovalRecord[]): string {
  return approvals
    .map(({ thread_id, trace_id, step, digest, calls }) => {
      const names = calls.map(({ name }) => printable(name ?? '-')).join(', ');
      return `  ${printable(trace_id)} ${step} --thread ${printable(thread_id)} --digest ${digest}  ${names}`;
    })
    .join('\n');
}
