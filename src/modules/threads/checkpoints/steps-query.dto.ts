import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, Matches } from 'class-validator';
import { RunPageQueryDto } from './run-page-query.dto.js';
import type { MessagesQuery, StepsQuery } from './thread-steps.query.js';

export class StepsQueryDto extends RunPageQueryDto {
  toQuery(threadId: string): StepsQuery {
    return {
      threadId,
      traceId: this.trace_id ?? null,
      limit: this.limit ?? null,
      cursor: this.cursor ?? null,
    };
  }
}

/** At most 200 ranges, so that the query fits into a request's head. */
const PLACES = /^(?:\d{1,9}(?:-\d{1,9})?(?:,\d{1,9}(?:-\d{1,9})?){0,199})?$/;
const PLACES_RULE = {
  message: 'must be at most 200 places or ranges of places with commas between them, like 0-59,64',
};
const PLACES_FORM = { type: 'string', default: '', pattern: PLACES.source, example: '0-59,64' } as const;

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
