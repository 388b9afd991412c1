import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { LOG_KINDS, LOG_LEVELS, type LogEntry, type LogKind, type LogLevel } from './log-entry.js';

/** One entry of a thread's logs: what a message of the history or an event of its runs says. */
export class LogEntryDto implements LogEntry {
  @ApiProperty({
    format: 'date-time',
    description: 'The time of the message, as the agent reported it.',
    example: '2026-11-20T09:30:01.250Z',
  })
  ts: string;

  @ApiProperty({
    enum: LOG_LEVELS,
    description:
      '`tool` for tool calls and results, `error` for failed results and runs, `warn` for budget warnings and refusals.',
    example: 'tool',
  })
  level: LogLevel;

  @ApiProperty({
    enum: LOG_KINDS,
    description: '`event` for events of the run and for messages of an unknown shape.',
    example: 'tool_result',
  })
  kind: LogKind;

  @ApiProperty({
    description:
      'The text. A tool call reads `name(arguments)`; images, audio and files are named in brackets; ' +
      'a message of an unknown shape is its JSON, cut at 4,000 characters.',
    example: '{"status":"on time","gate":"B12"}',
  })
  message: string;

  @ApiProperty({ description: 'The agent that reported it.', example: 'support' })
  agent_id: string;

  @ApiProperty({ description: 'Its run.', example: 'run-7f3a' })
  trace_id: string;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'The first step that contains it.', example: 3 })
  step_index: number;

  @ApiPropertyOptional({
    description: 'The tool of a call, or of a result whose call is known.',
    example: 'get_flight_status',
  })
  tool_name?: string;

  @ApiPropertyOptional({
    enum: ['run_cancelled', 'run_retried'],
    description: 'On entries that tell that somebody cancelled or retried the run.',
    example: 'run_retried',
  })
  event?: 'run_cancelled' | 'run_retried';

  @ApiPropertyOptional({ description: 'Who did it, if somebody said.', example: 'ada' })
  by?: string;

  @ApiPropertyOptional({ description: 'Why, if somebody said.', example: 'The key is new' })
  reason?: string;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'Input tokens of the message. Only one entry per message has them, so that you can sum them.',
    example: 812,
  })
  tokens_in?: number;

  @ApiPropertyOptional({ type: 'integer', description: 'Output tokens of the message, likewise.', example: 64 })
  tokens_out?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    description: 'Milliseconds from a tool call to its result, if both times were reported.',
    example: 1250,
  })
  duration_ms?: number;
}
