import { Reporter } from './reporter.js';

/** How far an agent's runs are the thread's own; a thread shows its own runs by default. */
export const STANDING = {
  /** Reported only by bound tokens, or a sub-agent. */
  guest: 0,
  /** A bound token began the thread with it. Counts until an unbound token reports in the thread. */
  first: 1,
  /** Reported by an unbound token. */
  own: 2,
} as const;

interface AgentStanding {
  agent_id: string;
  standing: number;
}

/**
 * Whether progress of a run makes it the thread's current run: always if an unbound token began it, otherwise if its token speaks for an
 * agent of the highest standing.
 */
export function isThreadsOwn(beganBy: string | null, agents: Iterable<AgentStanding>): boolean {
  if (beganBy === null) return true;
  const beginner = Reporter.of(beganBy);
  let highest: number = STANDING.first;
  let isOfHighest = false;
  for (const { agent_id, standing } of agents) {
    if (standing < highest) continue;
    if (standing > highest) isOfHighest = false;
    highest = standing;
    isOfHighest ||= beginner.maySpeakFor(agent_id);
  }
  return isOfHighest;
}
