import { editorOf } from '../config/env.js';
import type { ApiClient } from './api-client.js';
import { chooseApproval, type Address } from './approval-choice.js';
import { answersText, callText, readApproval, type ApprovalCall, type ApprovalRecord } from './approval-record.js';
import { connect } from './connect.js';
import { editJson } from './edit-json.js';
import { findByPrefix } from './ids.js';
import { printable } from './printable.js';
import { paintStatus, styleOf } from './style.js';
import type { Terminal } from './terminal.js';
import { userName } from './user-name.js';

/** Decisions on calls that ask no questions. */
type Verb = 'approve' | 'reject';

export interface DecisionOptions {
  reason?: string;
  by?: string;
  thread?: string;
  digest?: string;
  /** Ids of calls, prefixes of ids, or names of tools. */
  only?: string[];
  edit?: boolean;
  json?: boolean;
}

/** The decision on one call; calls without one take the verb. */
interface CallDecision {
  index: number;
  decision: Verb;
  /** Exact JSON. */
  args?: string;
}

const OPPOSITE: Record<Verb, Verb> = { approve: 'reject', reject: 'approve' };
const OUTCOMES = { approve: 'approved', reject: 'rejected', answer: 'approved' };

/** Decides the approval at the address, or the one that the person chooses. @throws CliError when there is none, or nothing is decided */
export async function decideApproval(
  verb: Verb,
  address: Address,
  options: DecisionOptions,
  terminal: Terminal,
): Promise<void> {
  const client = connect();
  const approval = await chooseApproval(client, verb, { ...address, ...options }, terminal);
  const meant = await selectCalls(approval, options.only);
  const others = approval.calls.filter((call) => !meant.includes(call));
  const decisions = others.map(({ index }): CallDecision => ({ index, decision: OPPOSITE[verb] }));
  if (options.edit) decisions.push(...(await edited(meant, terminal)));
  const decided = await decide(client, verb, approval, decisions, options);
  if (options.json) terminal.print(decided.json);
  else report(decided, terminal);
}

async function selectCalls(
  { calls }: ApprovalRecord,
  only: readonly string[] | undefined,
): Promise<readonly ApprovalCall[]> {
  if (only === undefined) return calls;
  const meant: ApprovalCall[] = [];
  for (const name of only) {
    const ofTool = calls.filter((call) => call.name === name);
    const hint = `its calls are ${calls.map((call) => `${printable(call.id ?? '-')} (${printable(call.name ?? '-')})`).join(', ')}.`;
    meant.push(
      ofTool.length === 1
        ? ofTool[0]!
        : await findByPrefix(name, { noun: 'call', items: calls, idOf: ({ id }) => id ?? '', hint }),
    );
  }
  return meant;
}

async function edited(calls: readonly ApprovalCall[], terminal: Terminal): Promise<CallDecision[]> {
  const decisions: CallDecision[] = [];
  for (const { index, name, args } of calls) {
    if (calls.length > 1) terminal.printError(`Arguments of ${printable(name ?? '-')}`);
    const changed = await editJson(args === '' ? 'null' : args, editorOf(), terminal);
    if (changed !== null) decisions.push({ index, decision: 'approve', args: changed });
  }
  return decisions;
}

/** Sends the digest with the decision, so that the server refuses it if the calls have changed since. */
async function decide(
  client: ApiClient,
  verb: Verb,
  { trace_id, step, thread_id, digest }: ApprovalRecord,
  decisions: readonly CallDecision[],
  { reason, by }: DecisionOptions,
): Promise<ApprovalRecord> {
  const path = `/approvals/${encodeURIComponent(trace_id)}/${step}/${verb}?${new URLSearchParams({ thread_id })}`;
  const start = JSON.stringify({ digest, reason, decided_by: by ?? userName() });
  // Arguments stay as the person wrote them: a parser could round their numbers.
  const calls = decisions.map(({ index, decision, args }) => {
    return `{"index":${index},"decision":"${decision}"${args === undefined ? '' : `,"args":${args}`}}`;
  });
  const body = calls.length === 0 ? start : `${start.slice(0, -1)},"decisions":[${calls.join(',')}]}`;
  return readApproval(await client.sendForText('POST', path, body));
}

export function report({ status, trace_id, step, calls }: ApprovalRecord, terminal: Terminal): void {
  const style = styleOf(terminal);
  for (const call of calls) {
    const { name, args, decision, answers, questions } = call;
    const outcome = paintStatus(decision === null ? status : OUTCOMES[decision], style);
    const words = answers ? answersText(answers) : questions ? callText(call) : printable(args);
    terminal.print([outcome, printable(trace_id), step, printable(name ?? '-'), words].join('  '));
  }
}
