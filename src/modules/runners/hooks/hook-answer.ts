import type { CallAnswer } from '../../approvals/approvals-lookup.service.js';

/** What a hook prints for a decision, in the form that Claude Code and Codex document; null where the terminal is to ask. */
export function hookAnswer({ status, editedArgs, reason, decidedBy }: CallAnswer): string | null {
  if (status === 'approved') return output(editedArgs === null ? ALLOW : `${ALLOW},"updatedInput":${editedArgs}`);
  if (status !== 'rejected') return null;
  const by = decidedBy === null ? '' : ` by ${decidedBy}`;
  return output(`"behavior":"deny","message":${JSON.stringify(reason ?? `Rejected${by} in Waystation.`)}`);
}

const ALLOW = '"behavior":"allow"';

function output(decision: string): string {
  return `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{${decision}}}}`;
}
