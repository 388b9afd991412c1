import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Milliseconds per period: time zones differ by multiples of it. */
export const SUM_PERIOD_MS = 15 * 60_000;

/**
 * Sums over all attempts that started within a period, by agent and model. Written together with the reports; kept when threads are
 * deleted.
 */
@Entity('run_sum', { withoutRowid: true })
export class RunSum {
  @PrimaryColumn('bigint')
  period: number;

  @PrimaryColumn('text')
  agent_id: string;

  /** The model of the attempt's latest checkpoint; empty if none was reported. */
  @PrimaryColumn('text')
  model: string;

  /** Servers with a shared database write separate rows, so that none waits for another. Add up all parts. */
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
