import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An agent that has sent a heartbeat, and how to start it. */
@Entity('agent')
export class Agent {
  @PrimaryColumn('text')
  agent_id: string;

  /** Base address for `/invoke`; null if this server cannot start the agent. */
  @Column('text', { nullable: true })
  endpoint: string | null;

  /** Encrypted; see `SecretBox`. */
  @Column('text', { nullable: true })
  invoke_token: string | null;

  /** Its triggers as JSON; null for none. */
  @Column('text', { nullable: true })
  triggers: string | null;

  /** Milliseconds since 1970, by this server's clock. */
  @Column('bigint')
  last_seen: number;
}
