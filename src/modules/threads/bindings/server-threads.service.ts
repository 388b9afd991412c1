import { Injectable } from '@nestjs/common';
import { Reporter } from './reporter.js';

/** What the ids of the server's own threads begin with: the conversations of channels. */
const PREFIX = 'channel:';

/** Returns to which agent each of these threads belongs; leaves out those that belong to none. */
export type AgentsOfThreads = (threadIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** Threads that belong to the server: a bound token begins runs in them only for the agent to which the server gave the thread. */
@Injectable()
export class ServerThreadsService {
  private agentsOf: AgentsOfThreads = () => Promise.resolve(new Map());

  /** Call it once, by the feature that makes such threads. */
  setAgents(agentsOf: AgentsOfThreads): void {
    this.agentsOf = agentsOf;
  }

  /** Those of these threads in which the reporter begins no runs, whether they are there or not. */
  async closedTo(reporter: Reporter, threadIds: readonly string[]): Promise<ReadonlySet<string>> {
    const closed = new Set(threadIds.filter((id) => id.startsWith(PREFIX)));
    if (closed.size === 0) return closed;
    const agents = await this.agentsOf([...closed]);
    for (const [threadId, agentId] of agents) if (reporter.maySpeakFor(agentId)) closed.delete(threadId);
    return closed;
  }

  /** The same for the holder of a token. @param agentIds the only agents that the token may speak for; null for all */
  async closedToToken(agentIds: readonly string[] | null, threadIds: readonly string[]): Promise<ReadonlySet<string>> {
    return agentIds === null ? new Set() : this.closedTo(new Reporter(agentIds), threadIds);
  }
}
