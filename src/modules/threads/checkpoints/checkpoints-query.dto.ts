import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { MAX_PAGE_LIMIT } from '../../../common/pagination.js';
import { HISTORY_MODES, type CheckpointsQuery, type HistoryMode } from './thread-checkpoints.query.js';

const LIMIT_RULE = `must be a whole number from 1 to ${MAX_PAGE_LIMIT}`;
const ONCE = { message: 'must be given once' };

/** Query of the checkpoints of a thread. */
export class CheckpointsQueryDto {
  @ApiPropertyOptional({
    enum: HISTORY_MODES,
    default: 'full',
    description: "`new`: only the messages added since the run's previous step; `none`: `history_length` instead.",
  })
  @IsOptional()
  @IsIn(HISTORY_MODES, { message: `must be one of ${HISTORY_MODES.join(', ')}` })
  history: HistoryMode = 'full';

  @ApiPropertyOptional({ description: 'Only checkpoints of this run.', example: 'trace-7' })
  @IsOptional()
  @IsString(ONCE)
  trace_id?: string;

  @ApiPropertyOptional({ description: 'Only checkpoints of this agent.', example: 'support' })
  @IsOptional()
  @IsString(ONCE)
  agent_id?: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_PAGE_LIMIT,
    description: 'Items per page; without it you get all at once.',
  })
  @IsOptional()
  @Transform(({ value }) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN))
  @IsInt({ message: LIMIT_RULE })
  @Min(1, { message: LIMIT_RULE })
  @Max(MAX_PAGE_LIMIT, { message: LIMIT_RULE })
  limit?: number;

  @ApiPropertyOptional({ description: 'The `next_cursor` of the previous page.' })
  @IsOptional()
  @IsString(ONCE)
  cursor?: string;

  toQuery(threadId: string): CheckpointsQuery {
    return {
      threadId,
      history: this.history,
      traceId: this.trace_id ?? null,
      agentId: this.agent_id ?? null,
      limit: this.limit ?? null,
      cursor: this.cursor ?? null,
    };
  }
}
