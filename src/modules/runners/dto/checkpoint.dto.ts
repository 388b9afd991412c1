import { ApiProperty } from '@nestjs/swagger';

const TOKENS = { type: 'integer', minimum: 0, example: 1280 } as const;

/** A checkpoint without its two lists. Only for the documentation: what is sent are the stored texts as they are. */
export class CheckpointSummaryDto {
  @ApiProperty({ example: 'thread-1' })
  thread_id: string;

  @ApiProperty({ description: 'Identifies the run.', example: 'trace-1' })
  trace_id: string;

  @ApiProperty({ type: String, nullable: true, example: null })
  parent_trace_id: string | null;

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

  @ApiProperty({ type: 'integer', minimum: 0, example: 0 })
  turn_start_history_len: number;

  @ApiProperty({ type: 'array', items: {}, description: 'Tool calls that wait for a person, exactly as reported.' })
  pending_tool_calls: unknown[];

  @ApiProperty({ description: 'US dollars.', example: 0.0123 })
  run_cost_usd: number;

  @ApiProperty({ description: 'US dollars; 0 when none was reported.', example: 0.5 })
  budget_usd: number;

  @ApiProperty({ example: false })
  budget_warning: boolean;

  @ApiProperty({ format: 'date-time', description: 'When this row last changed.' })
  updated_at: string;

  @ApiProperty({
    description: 'What `thread_error` told, as reported.',
    anyOf: [
      { type: 'string', nullable: true },
      { type: 'object', nullable: true },
    ],
  })
  error: unknown;

  @ApiProperty({
    type: 'object',
    nullable: true,
    additionalProperties: true,
    description: 'The decision on its tool calls.',
  })
  approval: Record<string, unknown> | null;
}

/** A checkpoint with the whole conversation. */
export class CheckpointDto extends CheckpointSummaryDto {
  @ApiProperty({ type: 'array', items: {}, description: 'The conversation, each message exactly as reported.' })
  history: unknown[];

  @ApiProperty({ type: 'array', items: {}, description: 'Times and tokens, parallel to `history`.' })
  history_meta: unknown[];
}
