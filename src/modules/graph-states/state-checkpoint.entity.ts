import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A graph's checkpoint as its saver sent it. Identified by the thread, the agent, the namespace and the checkpoint's id. */
@Entity('state_checkpoint')
@Index('state_checkpoint_in_thread', ['thread_pk', 'ns', 'position', 'place'])
@Index('state_checkpoint_of_thread', ['thread_pk', 'position', 'place'])
@Index('state_checkpoint_of_agent', ['agent', 'position', 'thread_pk', 'place'])
@Index('state_checkpoint_in_order', ['position', 'thread_pk', 'place'])
export class StateCheckpoint {
  @PrimaryColumn('integer')
  thread_pk: number;

  /** Digest of the agent, the namespace and the id, which together may be too long for a key. */
  @PrimaryColumn('text')
  place: string;

  /** The agent's whole id. A token bound to the agent or to its parent, `NAME` for `NAME:*`, may read and change the row. */
  @Column('text')
  agent: string;

  @Column('text')
  ns: string;

  @Column('text')
  checkpoint_id: string;

  /** The id's UTF-8 bytes in hexadecimal, which every collation sorts like the bytes. */
  @Column('text')
  position: string;

  @Column('text', { nullable: true })
  parent_id: string | null;

  /** The serialiser's tag. */
  @Column('text')
  type: string;

  /** Base64. */
  @Column('text')
  data: string;

  /** Exact JSON of an object. */
  @Column('text')
  metadata: string;

  /** Digests of the metadata's members, for filters; see `state-filter.ts`. */
  @Column('text')
  members: string;

  /** JSON: for each channel its name, its version as exact JSON, the serialiser's tag and the value's digest. */
  @Column('text')
  channels: string;

  /** Of everything sent: the same again changes nothing. */
  @Column('text')
  digest: string;

  @Column('bigint')
  created_at: number;
}
