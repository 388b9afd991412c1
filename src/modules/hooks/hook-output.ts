import type { ApprovalState } from '../approvals/approvals-lookup.service.js';
import type { HookBody } from './hook-body.js';
import { inputOf } from './hook-events.js';

/** What a hook prints for a decision, in the form that Claude Code and Codex document; null if the terminal is to ask. */
export function hookOutput({ status, editedArgs, reason, decidedBy }: ApprovalState, hook: HookBody): string | null {
  if (status === 'approved') {
    const input = editedArgs ?? (isPlan(hook) ? inputOf(hook) : null);
    return output(input === null ? ALLOW : `${ALLOW},"updatedInput":${input}`);
  }
  if (status !== 'rejected') return null;
  const by = decidedBy === null ? '' : ` by ${decidedBy}`;
  return output(`"behavior":"deny","message":${JSON.stringify(reason ?? `Rejected${by} in Waystation.`)}`);
}

const ALLOW = '"behavior":"allow"';

/** Claude Code ignores an allow of a plan that has no input (https://github.com/anthropics/claude-code/issues/74256). */
function isPlan({ platform, toolName }: HookBody): boolean {
  return platform === 'claude' && toolName === 'ExitPlanMode';
}

function output(decision: string): string {
  return `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{${decision}}}}`;
}
