import { Injectable } from '@nestjs/common';
import { speaksFor } from '../../../common/bound-agents.js';
import { ThreadVisibility } from '../../../common/thread-visibility.js';
import { threadNotFound } from '../threads.contract.js';
import { ThreadVisibilityRepository } from './thread-visibility.repository.js';

/** Which threads a bound token's reader sees: those in which nobody else took part. Others do not exist for it. */
@Injectable()
export class ThreadVisibilityService extends ThreadVisibility {
  constructor(private readonly repository: ThreadVisibilityRepository) {
    super();
  }

  override async assertVisible(threadId: string, agentIds: readonly string[]): Promise<void> {
    if (!(await this.repository.isVisible(threadId, agentIds))) throw threadNotFound();
  }

  /** @param agentIds null for a reader that sees every thread */
  async isVisible(threadId: string, agentIds: readonly string[] | null): Promise<boolean> {
    return agentIds === null || this.repository.isVisible(threadId, agentIds);
  }

  /** SQL condition for a column with a thread's number. */
  conditionOf(threadPk: string, agentIds: readonly string[]): string {
    return this.repository.conditionOf(threadPk, agentIds);
  }

  /** All agents that took part in threads; null if too many. */
  allAgents(): Promise<string[] | null> {
    return this.repository.findAgents();
  }

  /** The agents with threads that the reader may speak for; null if too many to search. */
  async agentsOf(agentIds: readonly string[]): Promise<string[] | null> {
    const all = await this.repository.findAgents();
    return all && all.filter((id) => speaksFor(agentIds, id));
  }
}
