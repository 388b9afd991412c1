import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, MoreThanOrEqual, Repository } from 'typeorm';
import { Agent } from './agent.entity.js';

@Injectable()
export class AgentsRepository {
  constructor(@InjectRepository(Agent) private readonly agents: Repository<Agent>) {}

  /** Stores the agents' addresses, each once. Always in the same order, so that two batches cannot deadlock. */
  async upsert(agents: readonly Agent[]): Promise<void> {
    const sorted = [...agents].sort((a, b) => (a.agent_id < b.agent_id ? -1 : 1));
    await this.agents.upsert(sorted, ['agent_id']);
  }

  find(agentId: string): Promise<Agent | null> {
    return this.agents.findOneBy({ agent_id: agentId });
  }

  /** By id. @param after the id after which the page begins; null for the first page */
  list(limit: number, after: string | null): Promise<Agent[]> {
    const where = after === null ? {} : { agent_id: MoreThan(after) };
    return this.agents.find({ where, order: { agent_id: 'ASC' }, take: limit });
  }

  countSeenSince(ms: number): Promise<number> {
    return this.agents.countBy({ last_seen: MoreThanOrEqual(ms) });
  }

  count(): Promise<number> {
    return this.agents.count();
  }
}
