import { Injectable } from '@nestjs/common';
import { speaksFor } from '../../../common/bound-agents.js';
import { ThreadVisibility } from '../../../common/thread-visibility.js';
import { threadNotFound } from '../threads.contract.js';
import { ThreadVisibilityRepository } from './thread-visibility.repository.js';

/** Which threads a reader sees whose token is bound to agents: those in which nobody else took part. Others do not exist for it. */
@Injectable()
export class ThreadVisibilityService extends ThreadVisibility {
  constructor(private readonly repository: ThreadVisibilityRepository) {
    super();
  }

  override async assertVisible(threadId: string, agentIds: readonly string[]): Promise<void> {
    if (!(await this.repository.isVisible(threadId, agentIds))) throw threadNotFound();
  }

  /** @param agentIds null for a reader who sees every thread */
  async isVisible(threadId: string, agentIds: readonly string[] | null): Promise<boolean> {
    return agentIds === null || this.repository.isVisible(threadId, agentIds);
  }

  /** Condition of SQL for the column with the number of a thread. */
  conditionOf(threadPk: string, agentIds: readonly string[]): string {
    return this.repository.conditionOf(threadPk, agentIds);
  }

  /** All agents that took part in threads; null if they are very many. */
  allAgents(): Promise<string[] | null> {
    return this.repository.findAgents();
  }

  /** The agents that took part in threads and for which the reader may speak; null if they would be too many to look through. */
  async agentsOf(agentIds: readonly string[]): Promise<string[] | null> {
    const all = await this.repository.findAgents();
    return all && all.filter((id) => speaksFor(agentIds, id));
  }
}
