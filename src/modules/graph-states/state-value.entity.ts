import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A channel's value, stored once per agent however many checkpoints have it. */
@Entity('state_value')
export class StateValue {
  @PrimaryColumn('integer')
  thread_pk: number;

  /** The agent's whole id. */
  @PrimaryColumn('text')
  agent: string;

  /** SHA-256 of the bytes, in hexadecimal. */
  @PrimaryColumn('text')
  digest: string;

  /** Base64. */
  @Column('text')
  data: string;
}
