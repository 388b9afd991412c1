import { Option, type Command } from 'commander';
import { asTyped } from '../config/as-typed.js';
import type { DecisionOptions } from './approval-decision.js';
import {
  answersText,
  fetchApprovals,
  questionsText,
  type ApprovalCall,
  type ApprovalRecord,
} from './approval-record.js';
import { connect } from './connect.js';
import type { AnswerOptions } from './question-answer.js';
import { findThreadId } from './ids.js';
import { printable } from './printable.js';
import { ageOf } from './local-time.js';
import { stepNumber } from './option-values.js';
import { printTable, type Terminal } from './terminal.js';

interface ListOptions {
  status: string;
  agent?: string;
  thread?: string;
  json?: boolean;
}

const NOTHING_WAITS = 'Nothing waits for a person. Past decisions: waystation approvals --status all';
const STATUSES = ['pending', 'approved', 'rejected', 'expired', 'superseded', 'decided', 'all'];
const ADDRESS = ['TRACE', 'STEP', { title: 'AGENT', max: 20 }, 'SINCE'];
const DECISION = ['STATUS', { title: 'BY', max: 16 }, { title: 'REASON', max: 30 }];
/** Only arguments are truncated: a decision needs the whole address. */
const CALL = [
  { title: 'TOOL', max: 32 },
  { title: 'ARGUMENTS', min: 20 },
];
const OTHERS = { approve: 'the others are rejected', reject: 'the others are approved' };
const OUTCOMES = { approve: 'approved', reject: 'rejected', answer: 'answered' };

/** `waystation approvals`: the tool calls that wait for a person. */
export function addApprovalsCommand(program: Command, terminal: Terminal): void {
  program
    .command('approvals')
    .description('list tool calls that wait for a person, oldest first')
    .addOption(
      new Option(
        '--status <status>',
        'approvals with this status instead of waiting ones; decided: approved, rejected or expired, latest first',
      )
        .choices(STATUSES)
        .default('pending'),
    )
    .option('--agent <id>', 'only approvals of this agent')
    .option('--thread <id>', 'only approvals of this thread; its id, or the beginning of it')
    .option('--json', 'print JSON lines, with all details')
    .action(async (options: ListOptions) => listApprovals(options, terminal));
}

/** `waystation approve` and `waystation reject`: a person decides waiting tool calls. */
export function addDecisionCommands(program: Command, terminal: Terminal): void {
  for (const verb of ['approve', 'reject'] as const) {
    const command = program
      .command(verb)
      .description(`${verb} waiting tool calls; without arguments, you choose`)
      .argument('[trace]', 'the run, as `waystation approvals` shows it, or the beginning of its id')
      .argument('[step]', 'the step, as shown there; needed where several wait', stepNumber)
      .option('--only <call...>', `only these calls, by id or tool: ${OTHERS[verb]}`)
      .option('--reason <text>', 'why; the agent and the record get it')
      .option('--by <name>', 'who decides; default: the name of the user')
      .option('--thread <id>', 'the thread in which they wait; its id, or the beginning of it')
      .option('--digest <digest>', 'which calls, if the step has had several sets')
      .option('--json', 'print JSON');
    if (verb === 'approve')
      command.option('--edit', 'change the arguments in $VISUAL or $EDITOR before they are approved');
    command.action(async (trace: string | undefined, step: number | undefined, options: DecisionOptions) => {
      const { decideApproval } = await import('./approval-decision.js');
      await decideApproval(verb, { trace, step }, options, terminal);
    });
  }
}

/** `waystation answer`: a person answers the questions of an agent. */
export function addAnswerCommand(program: Command, terminal: Terminal): void {
  program
    .command('answer')
    .description('answer the questions of an agent; without options, you are asked')
    .argument('[trace]', 'the run, as `waystation approvals` shows it, or the beginning of its id')
    .argument('[step]', 'the step, as shown there; needed where several wait', stepNumber)
    .option('--option <option...>', 'for one question: the option, by number, label or value')
    .option('--text <text>', 'for one question: your own words')
    .option('--values <json>', 'answers by the ids of the questions, such as {"q0":"blue"}')
    .addOption(new Option('--others <verb>', 'what becomes of calls that ask nothing').choices(['approve', 'reject']))
    .option('--reason <text>', 'why; the agent and the record get it')
    .option('--by <name>', 'who answers; default: the name of the user')
    .option('--thread <id>', 'the thread in which they wait; its id, or the beginning of it')
    .option('--digest <digest>', 'which calls, if the step has had several sets')
    .option('--json', 'print JSON')
    .action(async (trace: string | undefined, step: number | undefined, options: AnswerOptions) => {
      const { answerQuestions } = await import('./question-answer.js');
      await answerQuestions({ trace, step }, options, terminal);
    });
}

async function listApprovals({ status, agent, thread, json }: ListOptions, terminal: Terminal): Promise<void> {
  const client = connect();
  const query = { status, agent_id: agent, thread_id: thread && (await findThreadId(client, thread)) };
  const rows: string[][] = [];
  for await (const approval of fetchApprovals(client, query)) {
    if (json) terminal.print(approval.json);
    else rows.push(...rowsOf(approval, Date.now(), status !== 'pending'));
  }
  if (json) return;
  if (rows.length === 0) return terminal.printError(asTyped(emptyHint({ status, agent, thread })));
  const columns = [...ADDRESS, ...(status === 'pending' ? [] : DECISION), ...CALL];
  await printTable(terminal, columns, rows, { canOverflow: true });
}

function emptyHint({ status, agent, thread }: ListOptions): string {
  if (status === 'pending') return NOTHING_WAITS;
  const isFiltered = status !== 'all' || agent !== undefined || thread !== undefined;
  if (isFiltered) return 'No approvals match. All of them: waystation approvals --status all';
  return 'No approvals yet. Try `waystation demo --seed`.';
}

/** A row per call; the first row has their common values. */
function rowsOf(approval: ApprovalRecord, nowMs: number, hasDecision: boolean): string[][] {
  const { trace_id, step, agent_id, created_at, calls } = approval;
  const address = [printable(trace_id), String(step), printable(agent_id), ageOf(created_at, nowMs)];
  return calls.map((call, index) => [
    ...(index === 0 ? address : address.map(() => '')),
    ...(hasDecision ? decisionOf(approval, call) : []),
    printable(call.name ?? '-'),
    call.answers ? answersText(call.answers) : call.questions ? questionsText(call.questions) : printable(call.args),
  ]);
}

function decisionOf(approval: ApprovalRecord, call: ApprovalCall): string[] {
  return [
    call.decision === null ? approval.status : OUTCOMES[call.decision],
    printable(approval.decided_by ?? approval.decided_through ?? '-'),
    printable(call.reason ?? approval.reason ?? '-'),
  ];
}
