import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { REPORTED_ERROR } from '../checkpoints/thread-checkpoint.dto.js';
import { HISTORY, HISTORY_META, IN_DOUBT, SILENT, ThreadItemDto, TIME } from '../list/thread-list.dto.js';
import { LogEntryDto } from '../logs/log-entry.dto.js';

/** A cancellation or retry of a run. */
export class RunEventDto {
  @ApiProperty({ enum: ['retried', 'cancelled'] })
  type: 'retried' | 'cancelled';

  @ApiProperty(TIME)
  at: string;

  @ApiProperty({ type: String, nullable: true, description: 'Who did it; null if nobody said.', example: 'ada' })
  by: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The name of the token, or `console`; null if the server did it by itself.',
    example: 'console',
  })
  through: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Why; null if nobody said.', example: 'The key is new' })
  reason: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    minimum: 1,
    description: 'The attempt that was cancelled, or that the retry began; null for what an older version kept.',
    example: 2,
  })
  attempt: number | null;
}

export class ThreadRunDto {
  @ApiProperty({ example: 'trace-1' })
  trace_id: string;

  @ApiProperty({ type: String, nullable: true, example: null })
  parent_trace_id: string | null;

  @ApiProperty({ example: 'support' })
  agent_id: string;

  @ApiProperty({ example: 'completed' })
  status: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: 'How many times its steps started at 0, or somebody retried it: a retry counts from its moment.',
    example: 1,
  })
  attempts: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Checkpoints of all attempts.', example: 4 })
  steps: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Sum of the last values of all attempts.', example: 1280 })
  tokens_used: number;

  @ApiProperty({ type: 'number', minimum: 0, description: 'Sum of the last values of all attempts.', example: 0.0123 })
  run_cost_usd: number;

  @ApiProperty(TIME)
  started_at: string;

  @ApiProperty({ ...TIME, description: 'When its last attempt began, or was asked for.' })
  attempt_started_at: string;

  @ApiProperty(TIME)
  updated_at: string;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'From `started_at` to `updated_at`, without the pauses before retries.',
    example: 4200,
  })
  duration_ms: number;

  @ApiProperty(SILENT)
  silent: boolean;

  @ApiProperty(IN_DOUBT)
  in_doubt: boolean;

  @ApiProperty(REPORTED_ERROR)
  error: unknown;

  @ApiPropertyOptional({
    description: 'Why the run was cancelled. Absent if it is not cancelled, or no reason was given.',
    example: 'It asks the wrong customer',
  })
  cancel_reason?: string;

  @ApiPropertyOptional({
    description: 'Who cancelled the run. Absent if it is not cancelled, or nobody said.',
    example: 'ada',
  })
  cancelled_by?: string;

  @ApiPropertyOptional({
    description:
      'The trace of the run above it whose cancellation also cancelled this run. Absent if the run itself was cancelled.',
    example: 'trace-0',
  })
  cancelled_with?: string;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description:
      'Only with `include=effects`: the effects last claimed by this run, without `args`, `result` and `error`.',
  })
  effects?: unknown[];

  @ApiPropertyOptional({
    type: () => [RunEventDto],
    description: 'Its retries and cancellations in their order; only in the detail of a thread.',
  })
  events?: RunEventDto[];
}

export class ThreadDetailDto extends ThreadItemDto {
  @ApiProperty(HISTORY)
  history: unknown[];

  @ApiProperty(HISTORY_META)
  history_meta: unknown[];

  @ApiProperty({ type: () => [ThreadRunDto], description: 'In the order of their first reports.' })
  run_list: ThreadRunDto[];

  @ApiProperty({ type: () => [LogEntryDto], description: 'All runs in order of time, each message once.' })
  logs: LogEntryDto[];

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    description:
      'Only with `logs_limit` or `logs_cursor`: send it as `logs_cursor` for the next page; null on the last.',
  })
  logs_next_cursor?: string | null;
}
