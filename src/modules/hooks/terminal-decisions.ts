import { callsDigestOf } from '../../common/digest.js';
import { membersOf } from '../../common/member-values.js';
import { isSameJson } from '../../common/same-json.js';
import type { ApprovalFacts } from '../approvals/approvals-lookup.service.js';
import type { HookBody } from './hook-body.js';
import { callsOf, inputOf } from './hook-events.js';

/** Whether the event shows that a tool was used, even if it failed: it no longer needs permission. */
export function saysToolUsed({ event, toolName }: HookBody): boolean {
  return (event === 'PostToolUse' || event === 'PostToolUseFailure') && toolName !== null;
}

/** Whether the event ends the turn, and with it all its questions. */
export function saysTurnOver({ event }: HookBody): boolean {
  return event === 'Stop' || event === 'StopFailure';
}

/**
 * Whether the approval is for the call in the event. Platforms name the call only afterwards, so tool and input must match.
 * Calls too long to compare by value must have equal texts.
 */
export function asksFor({ calls, isCut, digest }: ApprovalFacts, hook: HookBody): boolean {
  if (digest === callsDigestOf(callsOf(hook))) return true;
  const [call] = calls;
  if (isCut || call?.name !== hook.toolName) return false;
  const input = inputOf(hook);
  return isSameJson(call.args, input) || (hook.platform === 'codex' && isSameJson(withoutReason(call.args), input));
}

/** Codex sends the model's reason when it asks, and omits it afterwards. */
function withoutReason(args: string): string {
  if (!args.startsWith('{')) return args;
  const members = membersOf(args.slice(1, -1)).filter(([name]) => name !== 'description');
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value.toString()}`).join(',')}}`;
}
