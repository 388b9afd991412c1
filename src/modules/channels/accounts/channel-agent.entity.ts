import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

@Entity('channel_agent')
@Index('channel_agent_by_command', ['channel_id', 'command'], { unique: true })
export class ChannelAgent {
  @PrimaryColumn('text')
  channel_id: string;

  @PrimaryColumn('text')
  agent_name: string;

  @Column('boolean')
  is_default: boolean;

  /** With its leading slash; null for none. */
  @Column('text', { nullable: true })
  command: string | null;

  @Column('bigint')
  created_at: number;
}
