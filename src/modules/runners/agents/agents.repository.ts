import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { Agent } from './agent.entity.js';

@Injectable()
export class AgentsRepository {
  constructor(private readonly database: Database) {}

  /** Notes where the agents are. Always in the same order, so that two batches cannot wait for each other. */
  async upsert(agents: readonly Agent[]): Promise<void> {
    const sorted = [...agents].sort((a, b) => (a.agent_id < b.agent_id ? -1 : 1));
    await this.database.transaction(async (session) => {
      for (const { agent_id, endpoint, invoke_token, last_seen } of sorted) {
        await session.query(
          `INSERT INTO agent (agent_id, endpoint, invoke_token, last_seen) VALUES ($1, $2, $3, $4)
           ON CONFLICT (agent_id) DO UPDATE
           SET endpoint = EXCLUDED.endpoint, invoke_token = EXCLUDED.invoke_token, last_seen = EXCLUDED.last_seen`,
          [agent_id, endpoint, invoke_token, last_seen],
        );
      }
    });
  }

  async find(agentId: string): Promise<Agent | null> {
    const rows = await this.database.read<Agent>('SELECT * FROM agent WHERE agent_id = $1', [agentId]);
    return rows[0] ?? null;
  }

  /** By id. @param after the id behind which the page begins; null for the first page */
  async list(limit: number, after: string | null): Promise<Agent[]> {
    if (after === null) return this.database.read('SELECT * FROM agent ORDER BY agent_id LIMIT $1', [limit]);
    return this.database.read('SELECT * FROM agent WHERE agent_id > $1 ORDER BY agent_id LIMIT $2', [after, limit]);
  }

  async countSeenSince(ms: number): Promise<number> {
    const sql = 'SELECT COUNT(*) AS total FROM agent WHERE last_seen >= $1';
    const [row] = await this.database.read<{ total: number }>(sql, [ms]);
    return Number(row?.total ?? 0);
  }

  async count(): Promise<number> {
    const [row] = await this.database.read<{ total: number }>('SELECT COUNT(*) AS total FROM agent');
    return Number(row?.total ?? 0);
  }
}
