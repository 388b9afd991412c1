import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * One time that an `allow` decided a record. Its limits are counted by what they were before: the first use within 24 hours tells what
 * came since. Kept for 25 hours, whatever becomes of the thread.
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
