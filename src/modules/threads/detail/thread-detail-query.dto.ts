import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { MAX_PAGE_LIMIT } from '../../../common/pagination.js';
import type { ThreadDetailQuery } from './thread-detail.query.js';

const LIMIT_RULE = `must be a whole number from 1 to ${MAX_PAGE_LIMIT}`;

export class ThreadDetailQueryDto {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_PAGE_LIMIT,
    description: 'Entries of `logs` per page. Without it, all at once.',
  })
  @IsOptional()
  @Transform(({ value }) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN))
  @IsInt({ message: LIMIT_RULE })
  @Min(1, { message: LIMIT_RULE })
  @Max(MAX_PAGE_LIMIT, { message: LIMIT_RULE })
  logs_limit?: number;

  @ApiPropertyOptional({ description: 'The `logs_next_cursor` of the previous page.' })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  logs_cursor?: string;

  @ApiPropertyOptional({
    enum: ['effects'],
    description: '`effects`: each run has its effects, without `args`, `result` and `error`.',
  })
  @IsOptional()
  @IsIn(['effects'], { message: 'must be effects' })
  include?: string;

  @ApiPropertyOptional({
    enum: ['full', 'none'],
    default: 'full',
    description: '`none`: `history` and `history_meta` are empty.',
  })
  @IsOptional()
  @IsIn(['full', 'none'], { message: 'must be one of full, none' })
  history: 'full' | 'none' = 'full';

  toQuery(threadId: string): ThreadDetailQuery {
    return {
      threadId,
      logsLimit: this.logs_limit ?? null,
      logsCursor: this.logs_cursor ?? null,
      hasHistory: this.history === 'full',
      included: this.include === undefined ? [] : [this.include],
    };
  }
}
