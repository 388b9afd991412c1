import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { CALL_DECISIONS, type AllowedDecision } from '../../../common/contract/questions.js';
import { ProblemDto } from '../../../http/problem.dto.js';

/** Identifies an approval. */
export class ApprovalAddressDto {
  @ApiProperty({ example: 'thread-1' })
  thread_id: string;

  @ApiProperty({ example: 'run-7f3a' })
  trace_id: string;

  @ApiProperty({ type: 'integer', minimum: 0, example: 3 })
  step: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Attempt of the run.', example: 1 })
  attempt: number;

  @ApiProperty({ description: 'Of the exact calls.', example: '5e884898da280471' })
  digest: string;

  @ApiProperty({ example: 'pending' })
  status: string;

  @ApiProperty({ example: 'support' })
  agent_id: string;
}

/** A decision that its call does not allow. */
export class RefusedDecisionDto {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'The call.', example: 0 })
  index: number;

  @ApiProperty({ enum: CALL_DECISIONS, example: 'edit' })
  decision: AllowedDecision;

  @ApiProperty({ enum: CALL_DECISIONS, isArray: true, example: ['approve', 'reject'] })
  allowed_decisions: AllowedDecision[];
}

/** Why a decision was not taken. */
export class DecisionConflictDto extends ProblemDto {
  @ApiPropertyOptional({ type: ApprovalAddressDto, description: 'With `approval_closed`: the current approval.' })
  approval?: ApprovalAddressDto;

  @ApiPropertyOptional({
    type: () => [ApprovalAddressDto],
    description: 'With `ambiguous_approval` and `stale_digest`: the approvals at this address.',
  })
  approvals?: ApprovalAddressDto[];

  @ApiPropertyOptional({
    type: [String],
    description: 'With `approval_feature_missing`: the features that the agent does not declare.',
    example: ['per_call'],
  })
  missing_features?: string[];

  @ApiPropertyOptional({
    type: () => [RefusedDecisionDto],
    description: 'With `decision_not_allowed`: what the calls do not allow.',
  })
  refused?: RefusedDecisionDto[];
}
