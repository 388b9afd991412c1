import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A console session. Using it takes two secrets, stored as digests. */
@Entity('console_session')
@Index('console_session_by_key', ['key_hash'], { unique: true })
@Index('console_session_by_age', ['created_at', 'id'])
export class ConsoleSession {
  @PrimaryColumn('text')
  id: string;

  /** HMAC-SHA-256 of the cookie's value with the machine secret, in hex: a new machine secret ends all sessions. */
  @Column('text')
  cookie_hash: string;

  /** The same for the key that the page keeps. */
  @Column('text')
  key_hash: string;

  /** One of `SESSION_SCOPES`. */
  @Column('text')
  scope: string;

  /** The name of the signed-in person, also used for `decided_by`. */
  @Column('text')
  name: string;

  /** The token that made the code and ends the session with it; null for the machine secret. */
  @Column('text', { nullable: true })
  token_id: string | null;

  /** Milliseconds since 1970. */
  @Column('bigint')
  created_at: number;

  /** Milliseconds since 1970: the end, even if used. */
  @Column('bigint')
  expires_at: number;

  /** Milliseconds since 1970, up to five minutes late. */
  @Column('bigint')
  last_used_at: number;
}
