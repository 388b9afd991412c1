import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The two lists of a checkpoint; each has its own log in the thread. */
export const HISTORY = 0;
export const HISTORY_META = 1;
export type MessageList = typeof HISTORY | typeof HISTORY_META;

/** One element of a history or of its metadata: its exact text, stored once per thread. */
@Entity('message')
export class Message {
  @PrimaryColumn('integer')
  thread_pk: number;

  @PrimaryColumn('integer')
  list: MessageList;

  @PrimaryColumn('integer')
  seq: number;

  /** Digest of `body`, to find it again in a trimmed or edited history; metadata has none. */
  @Column('text', { nullable: true })
  digest: string | null;

  @Column('text')
  body: string;
}
