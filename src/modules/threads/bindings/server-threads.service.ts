import { Injectable } from '@nestjs/common';
import { Reporter } from './reporter.js';

/** Prefix of the ids of the server's own threads: the conversations of channels. */
const PREFIX = 'channel:';

/** The agent that each of these threads belongs to, without threads that belong to none. */
export type AgentsOfThreads = (threadIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** Threads that belong to the server: a bound token may begin runs only in threads that the server gave its agent. */
@Injectable()
export class ServerThreadsService {
  private agentsOf: AgentsOfThreads = () => Promise.resolve(new Map());

  /** Called once, by the feature that creates such threads. */
  setAgents(agentsOf: AgentsOfThreads): void {
    this.agentsOf = agentsOf;
  }

  /** The threads, existing or not, in which the reporter may not begin runs. */
  async closedTo(reporter: Reporter, threadIds: readonly string[]): Promise<ReadonlySet<string>> {
    const closed = new Set(threadIds.filter((id) => id.startsWith(PREFIX)));
    if (closed.size === 0) return closed;
    const agents = await this.agentsOf([...closed]);
    for (const [threadId, agentId] of agents) if (reporter.maySpeakFor(agentId)) closed.delete(threadId);
    return closed;
  }

  /** @param agentIds the only agents that the token may speak for; null for all */
  async closedToToken(agentIds: readonly string[] | null, threadIds: readonly string[]): Promise<ReadonlySet<string>> {
    return agentIds === null ? new Set() : this.closedTo(new Reporter(agentIds), threadIds);
  }
}
