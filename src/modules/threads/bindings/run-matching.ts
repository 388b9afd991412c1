import type { EventKind } from '../../../common/contract/event-types.js';
import { isOpenTo, type Reporter } from './reporter.js';

export interface OwnedRun {
  run_no: number;
  agent_id: string;
  began_by: string | null;
}

/** What an event says about its run, besides the trace. */
export interface EventSource {
  kind: EventKind;
  agentId: string | null;
}

export const UNKNOWN_AGENT = 'unknown';

/**
 * The run that an event means, of those with its trace; null for none. A bound token means runs of its agents, whoever began them. An
 * unbound token means its own runs. It means a bound token's run only if the event names one of that token's agents or has neither an agent
 * nor content: taking another's trace must not capture its reports.
 * @param runs oldest first
 */
export function matchRun<R extends OwnedRun>(runs: readonly R[], words: EventSource, reporter: Reporter): R | null {
  const open = runs.filter((run) => canMatchRun(run, words, reporter));
  const named = open.find((run) => run.agent_id === words.agentId);
  return named ?? open.find((run) => run.began_by === null) ?? open[0] ?? null;
}

/**
 * The run of a trace that an agent was asked to begin; null for none. Skips runs of tokens that may not speak for the agent: they could
 * take the trace to impersonate it.
 * @param runs oldest first
 * @param agentId null if unknown
 */
export function findRequestedRun<R extends OwnedRun>(runs: readonly R[], agentId: string | null): R | null {
  const open = agentId === null ? runs : runs.filter(({ began_by }) => isOpenTo(began_by, agentId));
  const named = open.find((run) => run.agent_id === agentId);
  return named ?? open.find(({ began_by }) => began_by === null) ?? open[0] ?? null;
}

/** Whether this reporter's event may go into the run. */
export function canMatchRun(run: OwnedRun, { kind, agentId }: EventSource, reporter: Reporter): boolean {
  if (reporter.isBound) return reporter.maySpeakFor(run.agent_id);
  if (run.began_by === null) return true;
  const isContent = kind === 'started' || kind === 'checkpoint';
  if (agentId === null && !isContent) return true;
  return isOpenTo(run.began_by, agentId ?? UNKNOWN_AGENT);
}
