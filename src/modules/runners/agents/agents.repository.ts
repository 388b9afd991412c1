import { Injectable } from '@nestjs/common';
import { And, In, LessThan, MoreThan, MoreThanOrEqual, Raw, Repository, type FindOperator } from 'typeorm';
import { InjectRepository } from '../../../database/typeorm.module.js';
import { speaksForSql } from '../../../database/bound-agents.sql.js';
import { Database } from '../../../database/database.js';
import { Agent } from './agent.entity.js';

@Injectable()
export class AgentsRepository {
  constructor(
    @InjectRepository(Agent) private readonly agents: Repository<Agent>,
    private readonly database: Database,
  ) {}

  /** Stores each agent's address once, in a fixed order to prevent deadlocks. */
  async upsert(agents: readonly Agent[]): Promise<void> {
    const sorted = [...agents].sort((a, b) => (a.agent_id < b.agent_id ? -1 : 1));
    await this.agents.upsert(sorted, ['agent_id']);
  }

  find(agentId: string): Promise<Agent | null> {
    return this.agents.findOneBy({ agent_id: agentId });
  }

  findAll(agentIds: readonly string[]): Promise<Agent[]> {
    return this.agents.findBy({ agent_id: In(agentIds) });
  }

  /** Deletes the agent unless it has sent a heartbeat since. */
  async deleteUnchanged({ agent_id, last_seen }: Agent): Promise<void> {
    await this.agents.delete({ agent_id, last_seen });
  }

  /**
   * Sorted by id.
   * @param after the id before the page; null for the first page
   * @param own only these, each with its sub-agents; null for all
   */
  list(limit: number, after: string | null, own: readonly string[] | null): Promise<Agent[]> {
    const isAfter = after === null ? [] : [MoreThan(after)];
    const where = { agent_id: And(...isAfter, ...this.isOneOf(own)) };
    return this.agents.find({ where, order: { agent_id: 'ASC' }, take: limit });
  }

  findSeenBefore(ms: number): Promise<Agent[]> {
    return this.agents.findBy({ last_seen: LessThan(ms) });
  }

  countSeenSince(ms: number): Promise<number> {
    return this.agents.countBy({ last_seen: MoreThanOrEqual(ms) });
  }

  /** SQL condition: whether a column's agent, or one that it is a sub-agent of, was seen since a time. */
  wasSeenSql(agentId: string, sinceMs: string): string {
    const isSubAgent = `SUBSTR(${agentId}, 1, LENGTH(g.agent_id) + 1) = g.agent_id || ':'`;
    return `EXISTS (SELECT 1 FROM agent g WHERE g.last_seen > ${sinceMs} AND (g.agent_id = ${agentId} OR ${isSubAgent}))`;
  }

  /** @param own only these, each with its sub-agents; null for all */
  count(own: readonly string[] | null = null): Promise<number> {
    return this.agents.countBy({ agent_id: And(...this.isOneOf(own)) });
  }

  private isOneOf(own: readonly string[] | null): FindOperator<string>[] {
    return [own === null ? Raw(() => 'TRUE') : Raw((column) => speaksForSql(column, own, this.database.dialect))];
  }
}
