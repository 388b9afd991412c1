import type { EventKind } from '../../../common/contract/event-types.js';
import { isOpenTo, type Reporter } from './reporter.js';

/** What tells whose a run is. */
export interface OwnedRun {
  run_no: number;
  agent_id: string;
  began_by: string | null;
}

/** What an event says of its run, beside the trace. */
export interface EventSource {
  kind: EventKind;
  agentId: string | null;
}

/** The agent of events that name none. */
export const UNKNOWN_AGENT = 'unknown';

/**
 * Which of the runs with one trace an event means; null for none of them. A bound token means runs of its agents, whoever began them.
 * One that may speak for all means its own runs, and that of a bound token only where it names one of this token's agents, or adds
 * nothing that is worth reading: whoever takes another's trace gets none of his reports.
 * @param runs in the order in which they were first seen
 */
export function matchRun<R extends OwnedRun>(runs: readonly R[], words: EventSource, reporter: Reporter): R | null {
  const open = runs.filter((run) => canMatchRun(run, words, reporter));
  const named = open.find((run) => run.agent_id === words.agentId);
  return named ?? open.find((run) => run.began_by === null) ?? open[0] ?? null;
}

/**
 * The run of a trace that an agent was asked to begin; null for none of them. None is meant that a token began which may not speak for the
 * agent: it took the trace, so that its words would pass for the agent's.
 * @param runs in the order in which they were first seen
 * @param agentId null if nobody knows which agent was asked
 */
export function findRequestedRun<R extends OwnedRun>(runs: readonly R[], agentId: string | null): R | null {
  const open = agentId === null ? runs : runs.filter(({ began_by }) => isOpenTo(began_by, agentId));
  const named = open.find((run) => run.agent_id === agentId);
  return named ?? open.find(({ began_by }) => began_by === null) ?? open[0] ?? null;
}

/** Whether an event of this reporter may go into the run. */
export function canMatchRun(run: OwnedRun, { kind, agentId }: EventSource, reporter: Reporter): boolean {
  if (reporter.isBound) return reporter.maySpeakFor(run.agent_id);
  if (run.began_by === null) return true;
  const isContent = kind === 'started' || kind === 'checkpoint';
  if (agentId === null && !isContent) return true;
  return isOpenTo(run.began_by, agentId ?? UNKNOWN_AGENT);
}
