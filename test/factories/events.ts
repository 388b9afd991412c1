import { randomUUID } from 'node:crypto';

export interface RunnerEvent {
  type: string;
  data: Record<string, unknown>;
  id?: string;
  sequence_num?: number;
  occurred_at?: string;
}

export type Fields = Record<string, unknown>;

/** A thread id that no other test uses. */
export function newThreadId(prefix = 'thread'): string {
  return `${prefix}-${randomUUID()}`;
}

export function started(threadId: string, fields: Fields = {}): RunnerEvent {
  const data = { thread_id: threadId, trace_id: 'run-1', agent_id: 'support', model: 'gpt-4o', ...fields };
  return { type: 'thread_started', data };
}

/** A checkpoint with every field of the specification, after `step` turns of a conversation of two messages each. */
export function checkpoint(threadId: string, step: number, fields: Fields = {}): RunnerEvent {
  const { history = conversation(2 * (step + 1)) } = fields;
  const data = {
    thread_id: threadId,
    trace_id: 'run-1',
    parent_trace_id: null,
    agent_id: 'support',
    step_index: step,
    status: 'in_progress',
    history,
    history_meta: metaOf(Array.isArray(history) ? history : []),
    tokens_used: 100 * (step + 1),
    input_tokens: 80 * (step + 1),
    output_tokens: 20 * (step + 1),
    model: 'gpt-4o',
    turn_start_history_len: 0,
    pending_tool_calls: [],
    run_cost_usd: 0.01 * (step + 1),
    budget_usd: 0.5,
    budget_warning: false,
    ...fields,
  };
  return { type: 'checkpoint', data };
}

/** The same step with other content. */
export function otherCheckpoint(threadId: string, step: number, salt: string, fields: Fields = {}): RunnerEvent {
  return checkpoint(threadId, step, { history: conversation(2 * step + 2, salt), ...fields });
}

export function completed(threadId: string, fields: Fields = {}): RunnerEvent {
  const data = { thread_id: threadId, trace_id: 'run-1', tokens_used: 1234, model: 'gpt-4o', ...fields };
  return { type: 'thread_completed', data };
}

export function failed(threadId: string, fields: Fields = {}): RunnerEvent {
  return {
    type: 'thread_error',
    data: { thread_id: threadId, trace_id: 'run-1', error: 'the model timed out', ...fields },
  };
}

export function budgetExceeded(threadId: string, fields: Fields = {}): RunnerEvent {
  const data = { thread_id: threadId, trace_id: 'run-1', run_cost_usd: 0.61, budget_usd: 0.5, ...fields };
  return { type: 'thread_budget_exceeded', data };
}

export function budgetWarning(threadId: string, fields: Fields = {}): RunnerEvent {
  const data = { thread_id: threadId, trace_id: 'run-1', run_cost_usd: 0.41, budget_usd: 0.5, ...fields };
  return { type: 'budget_warning', data };
}

/** User and assistant taking turns; `salt` makes other content of the same shape. */
export function conversation(length: number, salt = ''): Fields[] {
  return Array.from({ length }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `${index % 2 === 0 ? 'question' : 'answer'} ${Math.floor(index / 2)}${salt}`,
  }));
}

export function metaOf(history: readonly unknown[], startMs = Date.UTC(2026, 0, 1)): Fields[] {
  return history.map((message, index) => {
    const ts = new Date(startMs + index * 1000).toISOString();
    const isAssistant = (message as Fields | null)?.role === 'assistant';
    return isAssistant ? { ts, tokens_in: 10 + index, tokens_out: 5 + index } : { ts };
  });
}
