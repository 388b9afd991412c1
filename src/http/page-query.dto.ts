import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, IsIn, IsOptional, IsString, Max, Min } from 'class-validator';
import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT } from '../common/pagination.js';

const LIMIT_RULE = `must be a whole number from 1 to ${MAX_PAGE_LIMIT}`;

/** The parameters of an uncounted list. */
export class UncountedPageQueryDto {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_PAGE_LIMIT,
    default: DEFAULT_PAGE_LIMIT,
    description: 'Items per page.',
  })
  @IsOptional()
  @Transform(({ value }) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN))
  @IsInt({ message: LIMIT_RULE })
  @Min(1, { message: LIMIT_RULE })
  @Max(MAX_PAGE_LIMIT, { message: LIMIT_RULE })
  limit: number = DEFAULT_PAGE_LIMIT;

  @ApiPropertyOptional({ description: 'The `next_cursor` of the previous page.' })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  cursor?: string;
}

/** The parameters of a counted list. */
export class PageQueryDto extends UncountedPageQueryDto {
  @ApiPropertyOptional({
    enum: ['true', 'false'],
    description: '`true` adds `total`, the number of all items.',
  })
  @IsOptional()
  @IsIn(['true', 'false'], { message: 'must be true or false' })
  count?: 'true' | 'false';
}

/** The members of an uncounted list's response besides its items. */
export class UncountedPageDto {
  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Send it as `cursor` for the next page; null on the last.',
  })
  next_cursor: string | null;
}

/** The members of a counted list's response besides its items. */
export class PageDto extends UncountedPageDto {
  @ApiPropertyOptional({ type: 'integer', description: 'The number of all items, with `count=true` only.' })
  total?: number;
}
