import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { MAX_PAGE_LIMIT } from '../../../common/pagination.js';

const LIMIT_RULE = `must be a whole number from 1 to ${MAX_PAGE_LIMIT}`;
export const ONCE = { message: 'must be given once' };

/** A page of a thread's checkpoints or steps; all of them without `limit`. */
export class RunPageQueryDto {
  @ApiPropertyOptional({ description: 'Only checkpoints of the runs with this trace.', example: 'trace-7' })
  @IsOptional()
  @IsString(ONCE)
  trace_id?: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_PAGE_LIMIT,
    description: 'Items per page. Without it, all at once.',
  })
  @IsOptional()
  @Transform(({ value }) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN))
  @IsInt({ message: LIMIT_RULE })
  @Min(1, { message: LIMIT_RULE })
  @Max(MAX_PAGE_LIMIT, { message: LIMIT_RULE })
  limit?: number;

  @ApiPropertyOptional({ description: 'The `next_cursor` of the previous page, or the `cursor` of a step.' })
  @IsOptional()
  @IsString(ONCE)
  cursor?: string;
}
