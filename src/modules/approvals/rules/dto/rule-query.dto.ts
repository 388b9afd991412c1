import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString } from 'class-validator';
import { invalidField } from '../../../../common/domain-error.js';
import { PageQueryDto } from '../../../../http/page-query.dto.js';
import { stepOf } from '../../approvals.params.js';
import type { ApprovalAddress } from '../../approvals.repository.js';

const STATUSES = ['active', 'ended', 'all'] as const;

/** Query of the list of rules. */
export class RuleListQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ enum: STATUSES, default: 'active', description: '`ended`: expired or revoked.' })
  @IsOptional()
  @IsIn(STATUSES, { message: `must be one of ${STATUSES.join(', ')}` })
  status: (typeof STATUSES)[number] = 'active';
}

/** The calls for which rules are suggested: those of an agent or of one approval. */
export class RuleSuggestionsQueryDto {
  @ApiPropertyOptional({ description: 'For what people approved of this agent.', example: 'coder' })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  agent_id?: string;

  @ApiPropertyOptional({ description: 'With `step`: for the calls of this approval.', example: 'trace-1' })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  trace_id?: string;

  @ApiPropertyOptional({ description: 'With `trace_id`.', example: '3' })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  step?: string;

  @ApiPropertyOptional({ description: 'The thread, if several threads have this trace.', example: 'thread-1' })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  thread_id?: string;

  /** @throws DomainError `invalid` unless exactly one of both is given */
  toSubject(): { agentId: string } | { address: ApprovalAddress } {
    const { agent_id: agentId, trace_id: traceId, step, thread_id: threadId = null } = this;
    if (traceId !== undefined && step !== undefined && agentId === undefined) {
      return { address: { traceId, step: stepOf(step), threadId } };
    }
    const hasOther = traceId !== undefined || step !== undefined || threadId !== null;
    if (agentId === undefined || hasOther) throw invalidField('agent_id', 'send agent_id, or trace_id and step');
    return { agentId };
  }
}
