import { randomUUID } from 'node:crypto';
import { checkpoint, conversation, metaOf, newThreadId, type RunnerEvent } from './events.js';

type Fields = Record<string, unknown>;

/** A thread and a run that no other test uses: approvals are addressed by trace and step alone. */
export interface RunIds {
  threadId: string;
  traceId: string;
}

export function newRun(prefix?: string): RunIds {
  return { threadId: newThreadId(prefix), traceId: `run-${randomUUID()}` };
}

/** A tool call as OpenAI's chat API has it. */
export function toolCall(name: string, args: Fields = {}, id = `call-${name}`): Fields {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(args) } };
}

export const REFUND = toolCall('issue_refund', { order: 4711, cents: 1999 });
export const MAIL = toolCall('send_mail', { to: 'ada@example.com' });

/** A step of the run on its way. */
export function working({ threadId, traceId }: RunIds, step: number, fields: Fields = {}): RunnerEvent {
  return checkpoint(threadId, step, { trace_id: traceId, ...fields });
}

/** A step whose tool calls wait for a person, reported as real clients do: no history, but meta for all of it. */
export function waiting(run: RunIds, step: number, fields: Fields = {}): RunnerEvent {
  return working(run, step, {
    status: 'waiting_for_approval',
    history: [],
    history_meta: metaOf(conversation(2 * (step + 1))),
    pending_tool_calls: [REFUND],
    ...fields,
  });
}
