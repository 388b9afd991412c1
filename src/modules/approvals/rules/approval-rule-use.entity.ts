import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * One use of an `allow` on a record, with the rule's totals before it. Current totals minus those of the first use within 24 hours count
 * against the limits. Kept for 25 hours, even if the thread is deleted.
 */
@Entity('approval_rule_use')
@Index('approval_rule_use_by_rule', ['rule_id', 'used_at', 'uses_before'])
@Index('approval_rule_use_by_time', ['used_at'])
export class ApprovalRuleUse {
  @PrimaryColumn('text')
  rule_id: string;

  /** Calls that the rule had decided before. */
  @PrimaryColumn('bigint')
  uses_before: number;

  /** The rule's sum before: an exact decimal number. */
  @Column('text')
  amount_before: string;

  @Column('bigint')
  used_at: number;
}
