import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A checkpoint of a graph, as its saver sent it. Its identity is the thread, the agent, the namespace and the checkpoint's id. */
@Entity('state_checkpoint')
@Index('state_checkpoint_in_thread', ['thread_pk', 'ns', 'position', 'place'])
@Index('state_checkpoint_of_thread', ['thread_pk', 'position', 'place'])
@Index('state_checkpoint_of_agent', ['agent', 'position', 'thread_pk', 'place'])
@Index('state_checkpoint_in_order', ['position', 'thread_pk', 'place'])
export class StateCheckpoint {
  @PrimaryColumn('integer')
  thread_pk: number;

  /** Digest of the agent, the namespace and the id: together they may be too long for a key. */
  @PrimaryColumn('text')
  place: string;

  /** The agent's whole id. A token that is bound to the agent or to one above it, `NAME` for `NAME:*`, may read and change the row. */
  @Column('text')
  agent: string;

  @Column('text')
  ns: string;

  @Column('text')
  checkpoint_id: string;

  /** The UTF-8 bytes of the id in hexadecimal, which every collation puts in the order of the bytes. */
  @Column('text')
  position: string;

  @Column('text', { nullable: true })
  parent_id: string | null;

  /** The tag of the serialiser. */
  @Column('text')
  type: string;

  /** Base64. */
  @Column('text')
  data: string;

  /** Exact JSON of an object. */
  @Column('text')
  metadata: string;

  /** Digests of the members of the metadata, by which a filter finds them; see `state-filter.ts`. */
  @Column('text')
  members: string;

  /** JSON: for each channel its name, its version as exact JSON, the tag of the serialiser and the digest of the value. */
  @Column('text')
  channels: string;

  /** Of all that was sent: the same again changes nothing. */
  @Column('text')
  digest: string;

  @Column('bigint')
  created_at: number;
}
