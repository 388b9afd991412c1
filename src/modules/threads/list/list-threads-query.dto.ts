import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString } from 'class-validator';
import { PageQueryDto } from '../../../http/page-query.dto.js';
import { THREAD_SORTS, type ThreadListQuery, type ThreadSort } from './thread-list.query.js';
import { instantMs, IsInstant } from './instant.js';
import { FlagFilter, flagOf, StatusFilter, TextFilter, threadMatchOf } from './thread-match.parameters.js';

export class ListThreadsQueryDto extends PageQueryDto {
  @StatusFilter()
  status?: string[];

  @TextFilter('agent_id')
  agent_id?: string;

  @TextFilter('model')
  model?: string;

  @TextFilter('q')
  q?: string;

  @TextFilter('search')
  search?: string;

  @ApiPropertyOptional({
    description: 'Only threads with a run of this `trace_id`, even if the item shows another run.',
    example: 'trace-1',
  })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  trace_id?: string;

  @ApiPropertyOptional({
    description: 'Only threads with a run whose `trace_id` begins with this text.',
    example: 'trace-',
  })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  trace_id_prefix?: string;

  @ApiPropertyOptional({
    description:
      'Only threads with `updated_at` at or after this: an ISO 8601 time or date, in UTC unless it has a zone.',
    example: '2026-11-01',
  })
  @IsOptional()
  @IsInstant()
  since?: string;

  @ApiPropertyOptional({
    description: 'Only threads with `updated_at` at or before this. A date alone means its first moment.',
    example: '2026-11-20T09:30:00Z',
  })
  @IsOptional()
  @IsInstant()
  until?: string;

  @FlagFilter('silent')
  silent?: 'true' | 'false';

  @FlagFilter('in_doubt')
  in_doubt?: 'true' | 'false';

  @FlagFilter('open')
  open?: 'true' | 'false';

  @ApiPropertyOptional({ enum: THREAD_SORTS, default: 'updated_at' })
  @IsOptional()
  @IsIn(THREAD_SORTS, { message: `must be one of ${THREAD_SORTS.join(', ')}` })
  sort: ThreadSort = 'updated_at';

  @ApiPropertyOptional({ enum: ['asc', 'desc'], default: 'desc' })
  @IsOptional()
  @IsIn(['asc', 'desc'], { message: 'must be asc or desc' })
  order: 'asc' | 'desc' = 'desc';

  @ApiPropertyOptional({
    enum: ['history'],
    description: "`history` adds each item's messages and their metadata.",
  })
  @IsOptional()
  @IsIn(['history'], { message: 'must be history' })
  include?: 'history';

  /**
   * @param seenBy the agents that the caller's token is bound to; null for none
   * @throws DomainError `invalid`
   */
  toQuery(seenBy: readonly string[] | null): ThreadListQuery {
    return {
      filter: {
        ...threadMatchOf(this, seenBy),
        traceId: this.trace_id ?? null,
        traceIdPrefix: this.trace_id_prefix || null,
        sinceMs: this.since === undefined ? null : instantMs(this.since),
        untilMs: this.until === undefined ? null : instantMs(this.until),
        isSilent: flagOf(this.silent),
        isInDoubt: flagOf(this.in_doubt),
        isOpen: flagOf(this.open),
      },
      order: { sort: this.sort, isAscending: this.order === 'asc' },
      limit: this.limit,
      cursor: this.cursor ?? null,
      hasTotal: this.count === 'true',
      hasHistory: this.include === 'history',
    };
  }
}
