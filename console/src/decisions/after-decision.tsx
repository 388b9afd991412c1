import { Link } from '@tanstack/react-router';
import type { Approval } from './inbox.js';

/** The rule that decided, or a link to create one that decides alike; nothing if neither makes sense. */
export function AfterDecision({ approval }: { approval: Approval }) {
  const { rule_id, kind, status, agent_id, trace_id, step, thread_id, tool_calls } = approval;
  if (rule_id !== null)
    return (
      <Link to="/rules/$ruleId" params={{ ruleId: rule_id }}>
        See the rule
      </Link>
    );
  const isAsDecided = tool_calls.every(({ decision, edited_args }) => decision === 'approve' && edited_args === null);
  const tool = tool_calls[0]?.name;
  if (status !== 'approved' || kind === 'question' || !isAsDecided || !tool) return null;
  return (
    <Link to="/rules/new" search={{ agent: agent_id, tool, trace: trace_id, step, thread: thread_id }}>
      Make it a rule
    </Link>
  );
}
