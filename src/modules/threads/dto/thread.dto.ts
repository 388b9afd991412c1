import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PageDto } from '../../../http/page-query.dto.js';
import { LogEntryDto } from './log-entry.dto.js';
import { REPORTED_ERROR, ThreadCheckpointSummaryDto } from './thread-checkpoint.dto.js';

const TIME = { format: 'date-time', example: '2026-11-20T09:30:01.250Z' } as const;
const HISTORY = {
  type: 'array',
  items: {},
  description: 'The conversation, each message exactly as reported.',
} as const;
const HISTORY_META = { type: 'array', items: {}, description: 'Times and tokens, parallel to `history`.' } as const;

/** A thread: its latest checkpoint, and what sums it up. Only for the documentation: what is sent are the stored texts as they are. */
export class ThreadItemDto extends ThreadCheckpointSummaryDto {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Messages of the latest checkpoint.', example: 12 })
  history_length: number;

  @ApiProperty({ type: [String], description: 'All agents that took part.', example: ['support', 'researcher'] })
  agents: string[];

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Number of runs.', example: 2 })
  runs: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Checkpoints whose tool calls wait for a person.',
    example: 0,
  })
  pending_approvals: number;

  @ApiProperty(TIME)
  started_at: string;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'From `started_at` to `updated_at`.', example: 4200 })
  duration_ms: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Sum over all runs and attempts.', example: 5400 })
  total_tokens: number;

  @ApiProperty({
    type: 'number',
    minimum: 0,
    description: 'Sum over all runs and attempts, US dollars.',
    example: 0.081,
  })
  total_cost_usd: number;
}

export class ListedThreadDto extends ThreadItemDto {
  @ApiPropertyOptional({ ...HISTORY, description: 'With `include=history` only.' })
  history?: unknown[];

  @ApiPropertyOptional({ ...HISTORY_META, description: 'With `include=history` only.' })
  history_meta?: unknown[];
}

/** One page of threads. */
export class ThreadListDto extends PageDto {
  @ApiProperty({ type: () => [ListedThreadDto] })
  items: ListedThreadDto[];
}

/** One run of a thread. */
export class ThreadRunDto {
  @ApiProperty({ example: 'trace-1' })
  trace_id: string;

  @ApiProperty({ type: String, nullable: true, example: null })
  parent_trace_id: string | null;

  @ApiProperty({ example: 'support' })
  agent_id: string;

  @ApiProperty({ example: 'completed' })
  status: string;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'How many times its steps began at 0.', example: 1 })
  attempts: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Checkpoints of all attempts.', example: 4 })
  steps: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Sum of the last values of its attempts.', example: 1280 })
  tokens_used: number;

  @ApiProperty({ type: 'number', minimum: 0, description: 'Sum of the last values of its attempts.', example: 0.0123 })
  run_cost_usd: number;

  @ApiProperty(TIME)
  started_at: string;

  @ApiProperty(TIME)
  updated_at: string;

  @ApiProperty(REPORTED_ERROR)
  error: unknown;
}

/** Everything about one thread. */
export class ThreadDetailDto extends ThreadItemDto {
  @ApiProperty(HISTORY)
  history: unknown[];

  @ApiProperty(HISTORY_META)
  history_meta: unknown[];

  @ApiProperty({ type: () => [ThreadRunDto], description: 'In the order in which they were first seen.' })
  run_list: ThreadRunDto[];

  @ApiProperty({ type: () => [LogEntryDto], description: 'All runs in the order of time, each message once.' })
  logs: LogEntryDto[];

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    description:
      'Only with `logs_limit` or `logs_cursor`: send it as `logs_cursor` for the next page; null on the last.',
  })
  logs_next_cursor?: string | null;
}
