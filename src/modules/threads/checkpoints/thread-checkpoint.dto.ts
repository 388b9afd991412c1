import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ANY_JSON, OpenObject } from '../../../http/schemas.js';
import type { SentFields } from '../../../common/contract/checkpoint-fields.js';
import { PageDto } from '../../../http/page-query.dto.js';

const TOKENS = { type: 'integer', minimum: 0, example: 1280 } as const;
/** Any JSON; most agents report a text or an object. */
export const REPORTED_ERROR = {
  description: 'The error of `thread_error`, as reported; otherwise null.',
  ...ANY_JSON,
};
const DOLLARS = { type: 'number', minimum: 0 } as const;

/** Not derived with `PickType`, which would load a second copy of class-validator. */
export class StepFiguresDto {
  @ApiProperty({ description: 'Identifies the run.', example: 'trace-1' })
  trace_id: string;

  @ApiProperty({ example: 'support' })
  agent_id: string;

  @ApiProperty({ type: 'integer', minimum: 0, example: 3 })
  step_index: number;

  @ApiProperty({ example: 'in_progress' })
  status: string;

  @ApiProperty(TOKENS)
  tokens_used: number;

  @ApiProperty(TOKENS)
  input_tokens: number;

  @ApiProperty(TOKENS)
  output_tokens: number;

  @ApiProperty({ example: 'gpt-4o' })
  model: string;

  @ApiProperty({ ...DOLLARS, description: 'US dollars.', example: 0.0123 })
  run_cost_usd: number;

  @ApiProperty({ ...DOLLARS, description: 'US dollars; 0 if none was reported.', example: 0.5 })
  budget_usd: number;

  @ApiProperty({ example: false })
  budget_warning: boolean;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T09:30:01.250Z' })
  updated_at: string;

  @ApiProperty(REPORTED_ERROR)
  error: unknown;
}

/** A checkpoint without its two lists; it may have further members that its agent reported. Documentation only. */
@OpenObject()
export class ThreadCheckpointSummaryDto extends StepFiguresDto implements SentFields {
  @ApiProperty({ example: 'thread-1' })
  thread_id: string;

  @ApiProperty({ type: String, nullable: true, example: null })
  parent_trace_id: string | null;

  @ApiProperty({ type: 'integer', minimum: 0, example: 0 })
  turn_start_history_len: number;

  @ApiProperty({ type: 'array', items: {}, description: 'Tool calls that wait for a person, exactly as reported.' })
  pending_tool_calls: unknown[];

  @ApiProperty({
    type: 'object',
    nullable: true,
    additionalProperties: true,
    description: 'The decision on its tool calls.',
  })
  approval: Record<string, unknown> | null;
}

export class ThreadCheckpointDto extends ThreadCheckpointSummaryDto {
  @ApiPropertyOptional({
    type: 'array',
    items: {},
    description: 'Messages exactly as reported; not with `history=none`.',
  })
  history?: unknown[];

  @ApiPropertyOptional({ type: 'array', items: {}, description: 'Times and tokens, parallel to `history`.' })
  history_meta?: unknown[];

  @ApiPropertyOptional({ type: 'integer', minimum: 0, description: 'With `history=none` only.', example: 12 })
  history_length?: number;
}

export class ThreadCheckpointListDto extends PageDto {
  @ApiProperty({ type: () => [ThreadCheckpointDto] })
  items: ThreadCheckpointDto[];
}
