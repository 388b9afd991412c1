import type { ModelMessage, ToolApprovalResponse, ToolCallPart, ToolModelMessage } from 'ai';
import { toolCall, type CallDecision, type Run } from '@waystation/client';

export interface AnswerApprovalsOptions {
  /** Ends the wait. */
  signal?: AbortSignal;
  /** Seconds after which undecided calls count as denied; 0, the default, for never. */
  approvalTimeoutSeconds?: number;
}

/** A call with an unanswered approval request. */
interface OpenCall {
  approvalId: string;
  call: ToolCallPart;
}

/** Runs for which this process has asked people: earlier requests no longer count for them. */
const askedHere = new WeakSet<Run>();

/**
 * Asks people about the tool calls whose approval the model's last answer requests, and waits for their decisions, even while the server is
 * away. The messages are first reported as a step of the run, so that another process can continue from `run.history` without asking
 * again.
 *
 * If a process dies after the decision and before the next step, the next process calls the approved tools again: claim calls with side
 * effects as effects.
 * @param messages of the conversation, including the model's last answer
 * @returns the message to append; null if no approval is requested: the answer is final, or continues without people
 * @throws NoDecisionError when nobody can decide any more, or a person has cancelled the run; the reason of `signal`
 */
export async function answerApprovals(
  run: Run,
  messages: readonly ModelMessage[],
  { signal, approvalTimeoutSeconds = 0 }: AnswerApprovalsOptions = {},
): Promise<ToolModelMessage | null> {
  const open = openCallsIn(messages);
  if (open.length === 0) return null;
  const isAsked = !askedHere.has(run) && run.hasAsked && isAbout(run.latest?.approval ?? run.latest, open);
  askedHere.add(run);
  if (!isAsked) {
    await run.step(messages, {
      status: 'waiting_for_approval',
      approval_features: ['per_call'],
      ...(approvalTimeoutSeconds > 0 && { approval_timeout_seconds: approvalTimeoutSeconds }),
      pending_tool_calls: open.map(({ call }) => toolCall(call.toolCallId, call.toolName, call.input)),
    });
  }
  const decisions = await run.decisions(signal);
  return { role: 'tool', content: open.map((one) => responseTo(one, decisions)) };
}

/** Requests after the user's last message: the SDK accepts no answers to older ones. */
function openCallsIn(messages: readonly ModelMessage[]): OpenCall[] {
  const calls = new Map<string, ToolCallPart>();
  const open = new Map<string, OpenCall>();
  for (const { role, content } of messages) {
    if (role === 'user') open.clear();
    if (typeof content === 'string') continue;
    for (const part of content) {
      if (part.type === 'tool-call') calls.set(part.toolCallId, part);
      if (part.type === 'tool-approval-response') open.delete(part.approvalId);
      if (part.type !== 'tool-approval-request') continue;
      const call = calls.get(part.toolCallId);
      if (call) open.set(part.approvalId, { approvalId: part.approvalId, call });
    }
  }
  return [...open.values()];
}

/** Whether people were asked about these calls. @param asked the approval, or a waiting step */
function isAbout(asked: object | null, open: readonly OpenCall[]): boolean {
  const { tool_calls, pending_tool_calls } = (asked ?? {}) as Record<string, { id?: unknown }[] | undefined>;
  const ids = (tool_calls ?? pending_tool_calls ?? []).map(({ id }) => id);
  return ids.length === open.length && open.every(({ call }) => ids.includes(call.toolCallId));
}

function responseTo(
  { approvalId, call }: OpenCall,
  decisions: ReadonlyMap<string, CallDecision>,
): ToolApprovalResponse {
  const decided = decisions.get(call.toolCallId);
  if (!decided) throw new Error(`Nobody was asked about the call ${call.toolCallId}.`);
  const { approved, reason } = decided;
  return {
    type: 'tool-approval-response',
    approvalId,
    approved,
    ...(reason !== null && { reason }),
    ...(call.providerExecuted !== undefined && { providerExecuted: call.providerExecuted }),
  };
}
