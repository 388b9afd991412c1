import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { PageQueryDto } from '../../../http/page-query.dto.js';
import { APPROVAL_KINDS, APPROVAL_STATUSES, type ApprovalKind } from '../approval.entity.js';
import { stepOf } from '../approvals.params.js';
import type { ApprovalAddress, ApprovalFilter } from '../approvals.repository.js';

const STATUSES = [...APPROVAL_STATUSES, 'decided', 'all'] as const;

/** Query of the list of approvals. */
export class ApprovalListQueryDto extends PageQueryDto {
  @ApiPropertyOptional({
    enum: STATUSES,
    default: 'pending',
    description:
      '`all` for every status; `decided` for approved, rejected and expired approvals, latest decision first.',
  })
  @IsOptional()
  @IsIn(STATUSES, { message: `must be one of ${STATUSES.join(', ')}` })
  status: (typeof STATUSES)[number] = 'pending';

  @ApiPropertyOptional({ enum: APPROVAL_KINDS, description: 'Only approvals of this kind.', example: 'question' })
  @IsOptional()
  @IsIn(APPROVAL_KINDS, { message: `must be one of ${APPROVAL_KINDS.join(', ')}` })
  kind?: ApprovalKind;

  @ApiPropertyOptional({ description: 'Only approvals of this agent.', example: 'support' })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  agent_id?: string;

  @ApiPropertyOptional({ description: 'Only approvals of this thread.', example: 'thread-1' })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  thread_id?: string;

  @ApiPropertyOptional({ description: 'Only approvals of this run.', example: 'trace-1' })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  trace_id?: string;

  @ApiPropertyOptional({ description: 'Only approvals of this step.', example: '3' })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  step?: string;

  @ApiPropertyOptional({ description: 'Only approvals of which this rule decided at least one call.' })
  @IsOptional()
  @Matches(/^[\w-]{1,64}$/, { message: 'must be the id of a rule' })
  rule_id?: string;

  /**
   * @param seenBy the agents that the caller's token is bound to; null for none
   * @throws DomainError `invalid` when `step` is not a number
   */
  toFilter(seenBy: readonly string[] | null): ApprovalFilter {
    return {
      seenBy,
      status: this.status === 'all' ? null : this.status,
      kind: this.kind ?? null,
      agentId: this.agent_id ?? null,
      threadId: this.thread_id ?? null,
      traceId: this.trace_id ?? null,
      step: this.step === undefined ? null : stepOf(this.step),
      ruleId: this.rule_id ?? null,
    };
  }
}

/** Query of one approval. */
export class ApprovalAddressQueryDto {
  @ApiPropertyOptional({
    description: 'The thread, if several threads have this trace.',
    example: 'thread-1',
  })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  thread_id?: string;

  /** @throws DomainError `invalid` when `step` is not a number */
  toAddress(traceId: string, step: string): ApprovalAddress {
    return { traceId, step: stepOf(step), threadId: this.thread_id ?? null };
  }
}
