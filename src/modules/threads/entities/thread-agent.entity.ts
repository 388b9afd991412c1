import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

@Entity('thread_agent', { withoutRowid: true })
@Index('thread_agent_by_agent', ['agent_id', 'updated_at', 'thread_pk'])
export class ThreadAgent {
  @PrimaryColumn('integer')
  thread_pk: number;

  @PrimaryColumn('text')
  agent_id: string;

  /** The agent's run that last made progress, or else its newest. */
  @Column('integer')
  latest_run: number;

  /** The same among the agent's own runs; 0 if it only has steps in others' runs. */
  @Column('integer', { default: 0 })
  own_run: number;

  /** The number of the thread's last change when `own_run` last made progress; 0 before. */
  @Column('integer', { default: 0 })
  progress_seq: number;

  /** One of `STANDING`. */
  @Column('integer', { default: 0 })
  standing: number;

  /** The agent's open top-level runs. */
  @Column('integer')
  open_runs: number;

  /** A copy of the thread's `updated_at`, for the list filtered by agent. */
  @Column('bigint')
  updated_at: number;
}
