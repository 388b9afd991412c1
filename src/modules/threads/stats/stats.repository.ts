import { Injectable } from '@nestjs/common';
import { Database, type SqlValue } from '../../../database/database.js';
import type { RunSum } from '../entities/run-sum.entity.js';
import type { StatsFilter } from './stats-query.js';

export type Sums = Pick<RunSum, 'runs' | 'completed' | 'failed' | 'tokens' | 'cost_usd'>;

/** Sums of one group; `period` is a number as text. */
export interface KeyedSums extends Sums {
  key: string;
}

const COLUMN_OF = { period: 'period', agent: 'agent_id', model: 'model' } as const;

@Injectable()
export class StatsRepository {
  constructor(private readonly database: Database) {}

  async sums(by: keyof typeof COLUMN_OF, { sinceMs, untilMs, agentId, model }: StatsFilter): Promise<KeyedSums[]> {
    const params: SqlValue[] = [sinceMs, untilMs];
    const also = (column: string, value: string | null) =>
      value === null ? '' : ` AND ${column} = $${params.push(value)}`;
    const column = COLUMN_OF[by];
    const rows = await this.database.read<KeyedSums>(
      `SELECT CAST(${column} AS TEXT) AS key, SUM(runs) AS runs, SUM(completed) AS completed, SUM(failed) AS failed,
         SUM(tokens) AS tokens, SUM(cost_usd) AS cost_usd
       FROM run_sum WHERE period >= $1 AND period <= $2${also('agent_id', agentId)}${also('model', model)}
       GROUP BY ${column} HAVING SUM(runs) <> 0 ORDER BY ${column}`,
      params,
    );
    return rows.map((row) => ({
      key: row.key,
      runs: Number(row.runs),
      completed: Number(row.completed),
      failed: Number(row.failed),
      tokens: Number(row.tokens),
      cost_usd: Number(row.cost_usd),
    }));
  }
}
