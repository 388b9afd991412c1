import { launchContext } from '../../../../config/env.js';
import { escapeInvisible } from '../../../../common/invisible-characters.js';
import type { ApprovalFacts } from '../../../approvals/approvals-lookup.service.js';
import { splitText } from '../../platforms/text-splitter.js';
import { askedQuestions, questionsBody, saidIn } from './asked-questions.js';
import { escapeMarkdown } from './escape-markdown.js';

type ApprovalKind = ApprovalFacts['kind'];

/** Room for a call's name, its code block and the note about what was cut. */
const FRAME_LENGTH = 120;
const MIN_ARGS_LENGTH = 40;
const MAX_NAME_LENGTH = 80;
/** The shown length of a thread's id; a longer one would leave no room for the calls. */
const MAX_THREAD_LENGTH = 200;
/** The shown length of the answers in an outcome. */
const MAX_SAID_LENGTH = 300;

const GONE = '**No longer needed**: the agent has continued.';

/** What a person is asked. */
export interface QuestionText {
  /** Markdown. */
  text: string;
  /** All calls are shown with all of their arguments, as reported, so they can be approved. */
  isWhole: boolean;
}

/**
 * The question: each tool with the exact text of its arguments, invisible characters escaped; or an agent's questions. If it is too long it
 * is cut, and says so and where to look.
 * @param limit maximum length of the whole text, in UTF-16 units; at least 1000
 * @param hasOptionButtons whether buttons follow the question
 */
export function questionText(approval: ApprovalFacts, limit: number, hasOptionButtons = false): QuestionText {
  const { threadId, calls, isCut } = approval;
  const head = headOf(approval);
  const asked = approval.kind === 'question' ? askedQuestions(approval) : null;
  const shown = calls.map(({ name, args }) => ({ name: nameOf(name), args: escapeInvisible(args, '\n\t') }));
  const body = asked
    ? ['', questionsBody(asked, hasOptionButtons)]
    : shown.map(({ name, args }) => `\`${name}\`\n${block(args)}`);
  const whole = [head, ...body].join('\n');
  const isDecidable = asked !== null || (approval.kind === 'approval' && !isCut);
  if (isDecidable && whole.length <= limit) return { text: whole, isWhole: true };
  const foot = whereToLook(threadId, approval.kind, isCut);
  const room = limit - foot.length - 1;
  return { text: `${asked ? splitText(whole, room)[0] : excerpt(head, shown, room)}\n${foot}`, isWhole: false };
}

function headOf({ agentId, kind, reminded }: ApprovalFacts): string {
  const agent = `**${escapeMarkdown(cut(escapeInvisible(agentId), MAX_NAME_LENGTH))}**`;
  if (kind === 'question') return reminded > 0 ? `${agent} still waits for your answer:` : `${agent} asks:`;
  return reminded > 0 ? `${agent} still waits for your approval:` : `${agent} asks for your approval:`;
}

/** As much of the calls as fits. */
function excerpt(head: string, calls: readonly { name: string; args: string }[], limit: number): string {
  const share = Math.floor((limit - head.length) / calls.length) - FRAME_LENGTH;
  const argsLength = Math.max(share, MIN_ARGS_LENGTH);
  const lines = [head];
  for (const [index, { name, args }] of calls.entries()) {
    const entry = `\`${cut(name, MAX_NAME_LENGTH)}\`\n${cutBlock(args, argsLength)}`;
    const more = `… and ${calls.length - index} more.`;
    if (lines.join('\n').length + entry.length + more.length + 2 > limit) return [...lines, more].join('\n');
    lines.push(entry);
  }
  return lines.join('\n');
}

/** @param isCut whether no list of approvals shows all of it either */
function whereToLook(threadId: string, kind: ApprovalKind, isCut: boolean): string {
  const id = cut(escapeInvisible(threadId), MAX_THREAD_LENGTH).replaceAll(/[`'\\]/g, '?');
  const command = isCut ? `export '${id}'` : `approvals --json --thread '${id}'`;
  if (kind === 'question') {
    const { command: program } = launchContext();
    return `**It cannot be answered here.** See all of it: \`${program} ${command}\`. Answer it: \`${program} answer\``;
  }
  return `**Not all of it fits here, so it cannot be approved here.** See all of it: \`${launchContext().command} ${command}\``;
}

/** A backtick would end the code span around the name. */
function nameOf(name: string | null): string {
  return escapeInvisible(name ?? 'unnamed tool').replaceAll('`', '\\u0060');
}

/** How it ended, in Markdown, for below the question. */
export function outcomeText(approval: ApprovalFacts | null): string {
  if (approval?.kind === 'question') return outcomeOfQuestion(approval);
  switch (approval?.status) {
    case 'approved':
      return `**Approved**${byWhom(approval)}`;
    case 'rejected':
      return `**Rejected**${byWhom(approval)}`;
    case 'expired':
      return '**Expired**: nobody decided in time.';
    default:
      return GONE;
  }
}

function outcomeOfQuestion(approval: ApprovalFacts): string {
  const said = saidIn(approval.calls, MAX_SAID_LENGTH);
  const words = said === '' ? '' : `: ${said}`;
  switch (approval.status) {
    case 'approved':
      if (approval.decidedThrough === 'default') return `**Nobody answered in time**, so the defaults count${words}`;
      return `**Answered**${byWhom(approval)}${words}`;
    case 'rejected':
      return `**Declined**${byWhom(approval)}`;
    case 'expired':
      return '**Expired**: nobody answered in time.';
    default:
      return GONE;
  }
}

/** Decisions from a chat have the person's name in brackets after the id. */
function byWhom({ decidedBy, decidedThrough }: ApprovalFacts): string {
  const name = decidedThrough === 'channel' ? /\((.*)\)$/.exec(decidedBy ?? '')?.[1] : undefined;
  const who = name ?? decidedBy;
  return who === null ? '' : ` by ${escapeMarkdown(cut(escapeInvisible(who), MAX_NAME_LENGTH))}`;
}

function cutBlock(args: string, limit: number): string {
  if (args.length <= limit) return block(args);
  const shown = cut(args, limit);
  return `${block(shown)}\n(cut: ${shown.length} of ${args.length} characters)`;
}

function block(args: string): string {
  const longest = Math.max(2, ...[...args.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${args}\n${fence}`;
}

/** Never leaves half a surrogate pair. */
function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit);
}
