import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An issued token: only its digest, so that nobody can read tokens from the database. */
@Entity('access_token')
@Index('access_token_by_hash', ['token_hash'], { unique: true })
@Index('access_token_by_age', ['created_at', 'id'])
@Index('access_token_by_expiry', ['expires_at'])
@Index('access_token_by_parent', ['parent_id'])
@Index('access_token_by_maker', ['created_by'])
export class AccessToken {
  @PrimaryColumn('text')
  id: string;

  /** SHA-256 of the token, in hex. The token has 256 random bits, so a slow hash would add nothing. */
  @Column('text')
  token_hash: string;

  /** One of `SCOPES`. */
  @Column('text')
  scope: string;

  @Column('text', { nullable: true })
  name: string | null;

  /** JSON array of the only agents for which the holder may report and read; null means any. */
  @Column('text', { nullable: true })
  agent_ids: string | null;

  /** Milliseconds since 1970. */
  @Column('bigint')
  created_at: number;

  /** Milliseconds since 1970; null means never. */
  @Column('bigint', { nullable: true })
  expires_at: number | null;

  /** Id of the runner token that has created this one, and without which it is worth nothing; null for one of an admin. */
  @Column('text', { nullable: true })
  parent_id: string | null;

  /**
   * Id of the token that has made this one, or, where that was revoked alone, of the one that had made that; null for the machine secret.
   * Says nothing of whether it is worth anything.
   */
  @Column('text', { nullable: true })
  created_by: string | null;

  /** JSON of the `RunOfToken`; null for a token that is for no single run. */
  @Column('text', { nullable: true })
  run: string | null;
}
