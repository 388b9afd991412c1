import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An issued token as a digest, so that nobody can read tokens from the database. */
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

  /** Id of the runner token that created this one and ends with it; null for an admin's. */
  @Column('text', { nullable: true })
  parent_id: string | null;

  /**
   * Id of the token that made this one or, if that was revoked alone, of that one's maker; null for the machine secret. Independent of
   * validity.
   */
  @Column('text', { nullable: true })
  created_by: string | null;

  /** JSON of `RunOfToken`; null for a token without a single run. */
  @Column('text', { nullable: true })
  run: string | null;

  /** Milliseconds since 1970, up to an hour late; null if it was never used. */
  @Column('bigint', { nullable: true })
  last_used_at: number | null;
}
