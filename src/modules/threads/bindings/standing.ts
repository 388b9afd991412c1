import { Reporter } from './reporter.js';

/** How much the runs of an agent are a thread's own: what it shows unasked is of these. */
export const STANDING = {
  /** Takes part by the word of bound tokens, or as a sub-agent. */
  guest: 0,
  /** A bound token began the thread with it. Counts until one that may speak for all has reported here. */
  first: 1,
  /** At home by the word of a token that may speak for all. */
  own: 2,
} as const;

interface AgentStanding {
  agent_id: string;
  standing: number;
}

/**
 * Whether progress of a run makes it the thread's current one: of those that tokens which may speak for all have begun always, of others
 * where the token speaks for an agent than which none stands higher.
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
