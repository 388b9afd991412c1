import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A single-use code for signing in to the console, as a digest. */
@Entity('console_code')
export class ConsoleCode {
  /** HMAC-SHA-256 of the code with the machine secret, in hex. */
  @PrimaryColumn('text')
  code_hash: string;

  /** One of `SESSION_SCOPES`. */
  @Column('text')
  scope: string;

  /** The name of the person who signs in. */
  @Column('text')
  name: string;

  /** The token that made the code and ends with it; null for the machine secret. */
  @Column('text', { nullable: true })
  token_id: string | null;

  /** Milliseconds since 1970. */
  @Column('bigint')
  created_at: number;

  /** Milliseconds since 1970. */
  @Column('bigint')
  expires_at: number;
}
