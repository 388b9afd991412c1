import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Milliseconds of a period: no time zone is off by less. */
export const SUM_PERIOD_MS = 15 * 60_000;

/**
 * The sums over all attempts of runs that started within a period, by agent and model. Written with the reports themselves; they stay
 * when threads are deleted.
 */
@Entity('run_sum', { withoutRowid: true })
export class RunSum {
  /** When the period begins. */
  @PrimaryColumn('bigint')
  period: number;

  /** The agent of the run. */
  @PrimaryColumn('text')
  agent_id: string;

  /** The model of the latest checkpoint of the attempt; empty if none was reported. */
  @PrimaryColumn('text')
  model: string;

  /** Servers that share a database write rows of their own, so that none waits for another. The sum is that of all parts. */
  @PrimaryColumn('integer')
  part: number;

  @Column('integer')
  runs: number;

  @Column('integer')
  completed: number;

  @Column('integer')
  failed: number;

  @Column('bigint')
  tokens: number;

  @Column('double precision')
  cost_usd: number;
}
