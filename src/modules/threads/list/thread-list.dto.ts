import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PageDto } from '../../../http/page-query.dto.js';
import { MAX_SAID, SPEAKERS, type LastMessage } from '../shapes/last-message.js';
import { ThreadCheckpointSummaryDto } from '../checkpoints/thread-checkpoint.dto.js';

export const TIME = { format: 'date-time', example: '2026-11-20T09:30:01.250Z' } as const;
export const HISTORY = {
  type: 'array',
  items: {},
  description: 'The conversation, each message exactly as reported.',
} as const;
export const HISTORY_META = {
  type: 'array',
  items: {},
  description: 'Times and tokens, parallel to `history`.',
} as const;

export const SILENT = {
  description:
    'Whether it is in progress without an event, heartbeat or lease for `WAYSTATION_SILENT_AFTER_SECONDS`. Computed when read: streams send nothing when the silence begins.',
  example: false,
} as const;
export const IN_DOUBT = {
  description: 'Whether it has an effect in doubt, which a person has to settle.',
  example: false,
} as const;

export class LastMessageDto {
  @ApiProperty({
    enum: SPEAKERS,
    enumName: 'Speaker',
    description: 'Who said it: `tool` for the result of a call, `other` for a message of an unknown shape.',
    example: 'assistant',
  })
  role: LastMessage['role'];

  @ApiProperty({
    maxLength: MAX_SAID,
    description:
      'The text on one line, cut with an ellipsis; the tool call if there is no text. Empty for a message without either.',
    example: 'I have asked the warehouse.',
  })
  text: string;
}

/** A thread: its latest checkpoint and its totals. Documentation only: the server sends the stored texts unchanged. */
export class ThreadItemDto extends ThreadCheckpointSummaryDto {
  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Number of messages in the latest checkpoint.',
    example: 12,
  })
  history_length: number;

  @ApiProperty({ type: [String], description: 'All agents that took part.', example: ['support', 'researcher'] })
  agents: string[];

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Number of runs.', example: 2 })
  runs: number;

  @ApiProperty({
    type: () => LastMessageDto,
    nullable: true,
    description:
      "The last message of the latest checkpoint. Null if there is none, or if an older version stored the thread's last report.",
  })
  last_message: LastMessageDto | null;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Checkpoints whose tool calls wait for a person.',
    example: 0,
  })
  pending_approvals: number;

  @ApiProperty(TIME)
  started_at: string;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'From `started_at` to `updated_at`, without the pauses before retries.',
    example: 4200,
  })
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

  @ApiProperty(SILENT)
  silent: boolean;

  @ApiProperty(IN_DOUBT)
  in_doubt: boolean;
}

export class ListedThreadDto extends ThreadItemDto {
  @ApiPropertyOptional({ ...HISTORY, description: 'With `include=history` only.' })
  history?: unknown[];

  @ApiPropertyOptional({ ...HISTORY_META, description: 'With `include=history` only.' })
  history_meta?: unknown[];
}

export class ThreadListDto extends PageDto {
  @ApiProperty({ type: () => [ListedThreadDto] })
  items: ListedThreadDto[];

  @ApiPropertyOptional({
    type: [String],
    description: 'Names each status of the filter that no thread has. Absent if there is none.',
    example: ['status: no thread has the status "complete"; did you mean completed?'],
  })
  warnings?: string[];
}
