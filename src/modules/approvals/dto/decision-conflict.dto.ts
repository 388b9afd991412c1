import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ProblemDto } from '../../../http/problem.dto.js';

/** What tells one approval from another. */
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
}
