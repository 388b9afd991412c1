import { Entity, PrimaryColumn } from 'typeorm';

/** Digests of a thread's event ids, and of events that leave no other trace. An event with a known digest is a replay. */
@Entity('seen_event', { withoutRowid: true })
export class SeenEvent {
  @PrimaryColumn('integer')
  thread_pk: number;

  @PrimaryColumn('text')
  digest: string;
}
