import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An agent that took part in a thread. */
@Entity('thread_agent', { withoutRowid: true })
@Index('thread_agent_by_agent', ['agent_id', 'updated_at', 'thread_pk'])
export class ThreadAgent {
  @PrimaryColumn('integer')
  thread_pk: number;

  @PrimaryColumn('text')
  agent_id: string;

  /** The agent's run that last made progress, or its newest where none did yet. */
  @Column('integer')
  latest_run: number;

  /** The run of the agent itself that last made progress, or one of them where none did yet; 0 if it only has steps in runs of others. */
  @Column('integer', { default: 0 })
  own_run: number;

  /** The thread's number of the last change when `own_run` made progress; 0 before. */
  @Column('integer', { default: 0 })
  progress_seq: number;

  /** How much its runs are the thread's own: one of `STANDING`. */
  @Column('integer', { default: 0 })
  standing: number;

  /** Top-level runs of the agent that have not ended. */
  @Column('integer')
  open_runs: number;

  /** The thread's own `updated_at`, here for the list filtered by agent. */
  @Column('bigint')
  updated_at: number;
}
