import { launchContext } from '../../../../config/env.js';
import { escapeInvisible } from '../../../../common/invisible-characters.js';
import type { ApprovalFacts } from '../../../approvals/approvals-lookup.service.js';

/** Room for a call's name, its code block and the words about what was cut. */
const FRAME_LENGTH = 120;
const MIN_ARGS_LENGTH = 40;
const MAX_NAME_LENGTH = 80;
/** Of a thread's id; a longer one would leave no room for the calls. */
const MAX_THREAD_LENGTH = 200;

/** What a person is asked. */
export interface QuestionText {
  /** Markdown. */
  text: string;
  /** All calls stand there with all of their arguments, as they were reported, so that they can be approved. */
  isWhole: boolean;
}

/**
 * What a person is asked: each tool with the exact text of its arguments, but what nobody would see stands there as an escape. Where
 * that is too long it is cut, and the text says so and where to look.
 * @param limit length of the whole text at most, in UTF-16 units; at least 1000
 */
export function questionText({ agentId, threadId, calls, isCut }: ApprovalFacts, limit: number): QuestionText {
  const head = `**${escapeMarkdown(cut(escapeInvisible(agentId), MAX_NAME_LENGTH))}** asks for your approval:`;
  const shown = calls.map(({ name, args }) => ({ name: nameOf(name), args: escapeInvisible(args, '\n\t') }));
  const whole = [head, ...shown.map(({ name, args }) => `\`${name}\`\n${block(args)}`)].join('\n');
  if (!isCut && whole.length <= limit) return { text: whole, isWhole: true };
  const foot = whereToLook(threadId, isCut);
  return { text: `${excerpt(head, shown, limit - foot.length - 1)}\n${foot}`, isWhole: false };
}

/** As much of the calls as there is room for. */
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

/** @param isCut no list of approvals shows all of it either */
function whereToLook(threadId: string, isCut: boolean): string {
  const id = cut(escapeInvisible(threadId), MAX_THREAD_LENGTH).replaceAll(/[`'\\]/g, '?');
  const command = isCut ? `export '${id}'` : `approvals --json --thread '${id}'`;
  return `**Not all of it fits here, so it cannot be approved here.** See all of it: \`${launchContext().command} ${command}\``;
}

/** A backtick would end the code that the name is shown as. */
function nameOf(name: string | null): string {
  return escapeInvisible(name ?? 'unnamed tool').replaceAll('`', '\\u0060');
}

/** How it ended, in Markdown, to stand below the question. */
export function outcomeText(approval: ApprovalFacts | null): string {
  switch (approval?.status) {
    case 'approved':
      return `**Approved**${byWhom(approval)}`;
    case 'rejected':
      return `**Rejected**${byWhom(approval)}`;
    case 'expired':
      return '**Expired**: nobody decided in time.';
    default:
      return '**No longer needed**: the agent has continued.';
  }
}

/** Takes the meaning from the characters that Markdown gives one. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]()#+\-.!~|>]/g, '\\$&').replaceAll(/\s+/g, ' ');
}

/** Decisions in a chat have the person's name in brackets behind the id. */
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

/** Never half a surrogate pair. */
function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit);
}
