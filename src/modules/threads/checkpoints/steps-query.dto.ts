import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { MAX_PAGE_LIMIT } from '../../../common/pagination.js';
import type { MessagesQuery, StepsQuery } from './thread-steps.query.js';

const LIMIT_RULE = `must be a whole number from 1 to ${MAX_PAGE_LIMIT}`;
const ONCE = { message: 'must be given once' };

/** Query of the steps of a thread. */
export class StepsQueryDto {
  @ApiPropertyOptional({ description: 'Only steps of this run.', example: 'trace-7' })
  @IsOptional()
  @IsString(ONCE)
  trace_id?: string;

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

  @ApiPropertyOptional({ description: 'The `next_cursor` of the previous page, or the `cursor` of a step.' })
  @IsOptional()
  @IsString(ONCE)
  cursor?: string;

  toQuery(threadId: string): StepsQuery {
    return {
      threadId,
      traceId: this.trace_id ?? null,
      limit: this.limit ?? null,
      cursor: this.cursor ?? null,
    };
  }
}

/** At most 200 ranges, so that the query fits into the head of a request. */
const PLACES = /^(?:\d{1,9}(?:-\d{1,9})?(?:,\d{1,9}(?:-\d{1,9})?){0,199})?$/;
const PLACES_RULE = {
  message: 'must be at most 200 places or ranges of places with commas between them, like 0-59,64',
};
const PLACES_FORM = { type: 'string', default: '', pattern: PLACES.source, example: '0-59,64' } as const;

/** Query of messages by their places. */
export class MessagesQueryDto {
  @ApiPropertyOptional({ ...PLACES_FORM, description: 'Places of messages, as in `history_places`.' })
  @IsOptional()
  @Matches(PLACES, PLACES_RULE)
  history: string = '';

  @ApiPropertyOptional({ ...PLACES_FORM, description: 'Places of their metadata, as in `history_meta_places`.' })
  @IsOptional()
  @Matches(PLACES, PLACES_RULE)
  history_meta: string = '';

  toQuery(threadId: string): MessagesQuery {
    return { threadId, history: this.history, historyMeta: this.history_meta };
  }
}
