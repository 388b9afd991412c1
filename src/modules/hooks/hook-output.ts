import type { ApprovalState } from '../approvals/approvals-lookup.service.js';
import type { HookBody } from './hook-body.js';
import { inputOf } from './hook-events.js';
import { answeredInput } from './hook-questions.js';

/** What a hook prints for a decision, in the form that Claude Code and Codex document; null if the terminal is to ask. */
export function hookOutput(state: ApprovalState, hook: HookBody): string | null {
  const { status, editedArgs } = state;
  if (hook.event === 'PreToolUse') return answerOutput(state, hook);
  if (status === 'approved') {
    const input = editedArgs ?? (isPlan(hook) ? inputOf(hook) : null);
    return output(input === null ? ALLOW : `${ALLOW},"updatedInput":${input}`);
  }
  if (status !== 'rejected') return null;
  return output(`"behavior":"deny","message":${JSON.stringify(reasonIn(state))}`);
}

/** The answers to questions; without any, Claude Code asks on the terminal. */
function answerOutput(state: ApprovalState, hook: HookBody): string | null {
  const { status, answers } = state;
  const isAnswered = status === 'approved' && answers !== null;
  if (!isAnswered && status !== 'rejected') return null;
  const decision = isAnswered
    ? `"permissionDecision":"allow","updatedInput":${answeredInput(hook, answers)}`
    : `"permissionDecision":"deny","permissionDecisionReason":${JSON.stringify(reasonIn(state))}`;
  return `{"hookSpecificOutput":{"hookEventName":"PreToolUse",${decision}}}`;
}

function reasonIn({ reason, decidedBy }: ApprovalState): string {
  return reason ?? `Rejected${decidedBy === null ? '' : ` by ${decidedBy}`} in Waystation.`;
}

const ALLOW = '"behavior":"allow"';

/** Claude Code ignores an allow of a plan that has no input (https://github.com/anthropics/claude-code/issues/74256). */
function isPlan({ platform, toolName }: HookBody): boolean {
  return platform === 'claude' && toolName === 'ExitPlanMode';
}

function output(decision: string): string {
  return `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{${decision}}}}`;
}
