import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Somebody who is signed in to the console. It takes both secrets, of which the row holds digests. */
@Entity('console_session')
@Index('console_session_by_key', ['key_hash'], { unique: true })
@Index('console_session_by_age', ['created_at', 'id'])
export class ConsoleSession {
  @PrimaryColumn('text')
  id: string;

  /** HMAC-SHA-256 of the cookie's value with the machine secret, in hex: a new machine secret ends all sessions. */
  @Column('text')
  cookie_hash: string;

  /** The same of the key that the page keeps for itself. */
  @Column('text')
  key_hash: string;

  /** One of `SESSION_SCOPES`. */
  @Column('text')
  scope: string;

  /** The name of the signed-in person, also used for `decided_by`. */
  @Column('text')
  name: string;

  /** The token that has made the code, and with which the session ends; null for the machine secret. */
  @Column('text', { nullable: true })
  token_id: string | null;

  /** Milliseconds since 1970. */
  @Column('bigint')
  created_at: number;

  /** Milliseconds since 1970: the end, whoever uses it. */
  @Column('bigint')
  expires_at: number;

  /** Milliseconds since 1970, up to five minutes late. */
  @Column('bigint')
  last_used_at: number;
}
