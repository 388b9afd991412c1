import { CHECKPOINT_FIELD_NAMES } from '../../../common/contract/checkpoint-fields.js';
import { RUN_STATUS } from '../../../common/contract/run-status.js';
import type { ProgramIds } from '../program/program-event.js';
import type { ReportedState } from './reported-state.js';
import type { RunEvent, RunOutcome } from './run-log.service.js';

/** A run whose program has ended, and what was reported of it so far. */
export interface EndedRun {
  ids: ProgramIds;
  message: string;
  outcome: RunOutcome;
  reported: ReportedState;
  /** No checkpoint was reported: the API only has the one that the start wrote. */
  isUntouched: boolean;
  /** The program keeps its own record over HTTP: its output is a log, not an answer. */
  isSelfReported: boolean;
  /** US dollars; null for no limit. */
  budgetUsd: number | null;
  /** Highest reported cost, in US dollars. */
  costUsd: number;
  /** ISO 8601; the time of the final events. */
  now: string;
}

/**
 * The events for a program that ended without reporting its end: a last checkpoint if there is something to add, and the end.
 * For a cancelled run the API has the end; only its message is reported if missing, because a person may retry the run.
 */
export function finalEvents(run: EndedRun): RunEvent[] {
  if (run.outcome.kind === 'cancelled') return messageOfCancelled(run);
  const additions = run.isSelfReported ? [] : missingMessages(run);
  const checkpoint = additions.length === 0 ? [] : [{ type: 'checkpoint', dataText: checkpointText(run, additions) }];
  return [...checkpoint, ...ending(run)];
}

function messageOfCancelled(run: EndedRun): RunEvent[] {
  const { message, reported, isUntouched } = run;
  // The start carried the conversation so far, which may contain the same text.
  const last = reported.values.history.at(-1);
  if (!isUntouched || (last !== undefined && says(last, message))) return [];
  return [{ type: 'checkpoint', dataText: checkpointText(run, [{ role: 'user', content: message }]) }];
}

interface Message {
  role: 'user' | 'assistant';
  content: string;
}

function missingMessages({ message, outcome, reported, isUntouched }: EndedRun): Message[] {
  const { history, turn_start_history_len } = reported.values;
  const ofThisTurn = isUntouched ? [] : history.slice(Math.min(turn_start_history_len, history.length));
  const additions: Message[] = [];
  if (!ofThisTurn.some((known) => says(known, message))) additions.push({ role: 'user', content: message });
  const answer = outcome.kind === 'completed' ? outcome.answer : '';
  if (answer !== '' && !says(ofThisTurn.at(-1), answer)) additions.push({ role: 'assistant', content: answer });
  return additions;
}

/** Whether a message of any shape contains a text part equal to this text. */
function says(message: unknown, text: string): boolean {
  const wanted = text.trim();
  const parts = [message];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    if (typeof part === 'string' && part.trim() === wanted) return true;
    if (typeof part === 'object' && part !== null) for (const inner of Object.values(part)) parts.push(inner);
  }
  return false;
}

function checkpointText(run: EndedRun, additions: readonly Message[]): string {
  const { ids, outcome, reported, isUntouched, now, budgetUsd } = run;
  const { values } = reported;
  const history = [reported.historyText, ...additions.map((message) => JSON.stringify(message))];
  const meta = [reported.metaText, ...additions.map((message) => JSON.stringify(metaOf(message, now)))];
  // A new turn would reopen a cancelled run.
  const isNewTurn = isUntouched && outcome.kind !== 'cancelled';
  const head = {
    ...ids,
    step_index: isUntouched ? 0 : values.step_index + 1,
    status: RUN_STATUS.inProgress,
    ...Object.fromEntries(CHECKPOINT_FIELD_NAMES.map((name) => [name, values[name]])),
    turn_start_history_len: isNewTurn ? values.history.length : values.turn_start_history_len,
    pending_tool_calls: [],
    budget_usd: values.budget_usd || (budgetUsd ?? 0),
  };
  const members = [
    JSON.stringify(head).slice(1, -1),
    ...reported.extraMembers,
    `"history":[${joined(history)}]`,
    `"history_meta":[${joined(meta)}]`,
  ];
  return `{${members.join(',')}}`;
}

/** A model's message has token counts; these are unknown. */
function metaOf({ role }: Message, ts: string): object {
  return role === 'assistant' ? { ts, tokens_in: 0, tokens_out: 0 } : { ts };
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join(',');
}

function ending({ ids, outcome, reported, costUsd, budgetUsd }: EndedRun): RunEvent[] {
  const { tokens_used, model } = reported.values;
  const totals = { ...(tokens_used > 0 ? { tokens_used } : {}), ...(model === '' ? {} : { model }) };
  switch (outcome.kind) {
    case 'completed':
      return [event('thread_completed', { ...ids, ...totals })];
    case 'failed':
      return [event('thread_error', { ...ids, ...totals, error: outcome.error })];
    case 'budget_exceeded':
      return [event('thread_budget_exceeded', { ...ids, ...totals, run_cost_usd: costUsd, budget_usd: budgetUsd })];
    case 'cancelled':
      return [];
  }
}

function event(type: string, data: object): RunEvent {
  return { type, dataText: JSON.stringify(data) };
}
