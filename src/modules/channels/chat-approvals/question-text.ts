import type { ApprovalFacts } from '../../approvals/approvals-lookup.service.js';

/** Room for a call's name, its code block and the words about what was cut. */
const FRAME_LENGTH = 120;
const MIN_ARGS_LENGTH = 40;
const MAX_NAME_LENGTH = 80;

/**
 * What a person is asked, in Markdown: each tool with the exact text of its arguments, cut where it is too long, and said so.
 * @param limit length of the whole text at most
 */
export function questionText({ agentId, calls }: ApprovalFacts, limit: number): string {
  const head = `**${escapeMarkdown(cut(agentId, MAX_NAME_LENGTH))}** asks for your approval:`;
  const share = Math.floor((limit - head.length) / Math.max(calls.length, 1)) - FRAME_LENGTH;
  const argsLength = Math.max(share, MIN_ARGS_LENGTH);
  const lines = [head];
  for (const [index, { name, args }] of calls.entries()) {
    const entry = `\`${cut((name ?? 'unnamed tool').replaceAll(/[`\r\n]/g, ' '), MAX_NAME_LENGTH)}\`\n${block(args, argsLength)}`;
    const left = calls.length - index;
    const more = `… and ${left} more; see the list of approvals.`;
    if (lines.join('\n').length + entry.length + more.length + 2 > limit) return [...lines, more].join('\n');
    lines.push(entry);
  }
  return lines.join('\n');
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
      return '**No longer needed**: the agent has gone on.';
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
  return who === null ? '' : ` by ${escapeMarkdown(cut(who, MAX_NAME_LENGTH))}`;
}

function block(args: string, limit: number): string {
  const isCut = args.length > limit;
  const shown = isCut ? cut(args, limit) : args;
  const longest = Math.max(2, ...[...shown.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  const note = isCut ? `\n(cut: ${shown.length} of ${args.length} characters)` : '';
  return `${fence}\n${shown}\n${fence}${note}`;
}

/** Never half a surrogate pair. */
function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit);
}
