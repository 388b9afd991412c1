import { isoTime } from '../../common/clock.js';
import { cutText } from '../../common/cut-text.js';
import { digestOf } from '../../common/digest.js';
import { objectOf } from '../../common/json-fields.js';
import { parsedJson } from '../../common/parsed-json.js';
import type { RunEnded } from '../threads/threads.contract.js';
import type { NoticeEvent } from './notice-events.js';

type Run = RunEnded['run'];
type Checkpoint = RunEnded['checkpoint'];

/** UTF-16 units. */
const MAX_ERROR = 500;

export interface News {
  /** The `webhook-id`: always the same for one fact. */
  id: string;
  type: NoticeEvent;
  agentId: string;
  threadId: string | null;
  traceId: string | null;
  atMs: number;
  /** The members of `data`. */
  data: Record<string, unknown>;
}

/** @param fact what distinguishes this fact from all others */
export function idOfFact(...fact: readonly (string | number)[]): string {
  return `msg_${digestOf(JSON.stringify(fact))}`;
}

/** The exact text, the same for each attempt. */
export function bodyOf(type: string, atMs: number, data: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ type, timestamp: isoTime(atMs), data });
}

/** What every message about a run contains. */
export function dataOfRun(threadId: string, run: Run, url: string): Record<string, unknown> {
  return {
    thread_id: threadId,
    trace_id: run.trace_id,
    parent_trace_id: run.parent_trace_id,
    agent_id: run.agent_id,
    status: run.status,
    model: run.model,
    attempt: run.attempt,
    started_at: isoTime(Number(run.started_at)),
    url,
  };
}

/** What the attempt has spent, as reported; zeros stand for what was not reported. */
export function figuresOf(checkpoint: Checkpoint): Record<string, unknown> {
  return {
    step_index: checkpoint?.step_index ?? null,
    tokens_used: checkpoint?.tokens_used ?? 0,
    run_cost_usd: checkpoint?.run_cost_usd ?? 0,
    budget_usd: checkpoint?.budget_usd ?? 0,
  };
}

/** A reported error for people. @param error exact JSON */
export function shortError(error: string | null): string | null {
  if (error === null) return null;
  const value = parsedJson(error);
  if (typeof value === 'string') return cutText(value, MAX_ERROR);
  const message = objectOf(value)?.message;
  return cutText(typeof message === 'string' ? message : error, MAX_ERROR);
}
