import { callsDigestOf } from '../../common/digest.js';
import { membersOf } from '../../common/member-values.js';
import { isSameJson } from '../../common/same-json.js';
import type { ApprovalFacts } from '../approvals/approvals-lookup.service.js';
import type { HookBody } from './hook-body.js';
import { callsOf, inputOf } from './hook-events.js';

/** Whether the event says that a tool was used, so that nobody needs to allow it any more. A tool that failed was used, too. */
export function saysToolUsed({ event, toolName }: HookBody): boolean {
  return (event === 'PostToolUse' || event === 'PostToolUseFailure') && toolName !== null;
}

/** Whether the event says that the turn is over: it asks for nothing any more. */
export function saysTurnOver({ event }: HookBody): boolean {
  return event === 'Stop' || event === 'StopFailure';
}

/**
 * Whether the approval asks for what the event says was done: platforms name the call only afterwards, so its tool and input must do.
 * Of calls that are too long to be compared by value, the texts must be the same.
 */
export function asksFor({ calls, isCut, digest }: ApprovalFacts, hook: HookBody): boolean {
  if (digest === callsDigestOf(callsOf(hook))) return true;
  const [call] = calls;
  if (isCut || call?.name !== hook.toolName) return false;
  const input = inputOf(hook);
  return isSameJson(call.args, input) || (hook.platform === 'codex' && isSameJson(withoutReason(call.args), input));
}

/** Codex asks with the reason that the model gave, and leaves it out afterwards. */
function withoutReason(args: string): string {
  if (!args.startsWith('{')) return args;
  const members = membersOf(args.slice(1, -1)).filter(([name]) => name !== 'description');
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value.toString()}`).join(',')}}`;
}
