import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { RuleEffect } from './rule.js';

/** A standing decision on all calls of a kind. Its text never changes, and it is kept after its end because approvals name it. */
@Entity('approval_rule')
@Index('approval_rule_by_time', ['created_at', 'id'])
@Index('approval_rule_active', ['expires_at', 'id'], { where: 'revoked_at IS NULL' })
export class ApprovalRule {
  @PrimaryColumn('text')
  id: string;

  @Column('text')
  effect: RuleEffect;

  /** Its members as exact JSON. */
  @Column('text')
  rule: string;

  @Column('bigint')
  created_at: number;

  @Column('text', { nullable: true })
  created_by: string | null;

  /** Name of the token, or `console`. */
  @Column('text')
  created_through: string;

  /** Null for never. */
  @Column('bigint', { nullable: true })
  expires_at: number | null;

  @Column('bigint', { nullable: true })
  revoked_at: number | null;

  @Column('text', { nullable: true })
  revoked_by: string | null;

  @Column('text', { nullable: true })
  revoked_through: string | null;

  /** Calls that it decided. */
  @Column('bigint')
  uses: number;

  /** The total of its sum over these calls: an exact decimal number. */
  @Column('text')
  amount: string;

  @Column('bigint', { nullable: true })
  last_used_at: number | null;
}
