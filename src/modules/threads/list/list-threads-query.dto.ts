import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsIn, IsOptional, IsString } from 'class-validator';
import { invalidField } from '../../../common/domain-error.js';
import { PageQueryDto } from '../../../http/page-query.dto.js';
import { THREAD_SORTS, type ThreadListQuery, type ThreadMatch, type ThreadSort } from './thread-list.query.js';
import { instantMs, IsInstant } from './instant.js';

const MAX_STATUSES = 50;
const ONCE = { message: 'must be given once' };

/** Statuses to filter by. */
export function StatusParameter(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      type: [String],
      maxItems: MAX_STATUSES,
      description: 'Only threads with this status; repeat it for several.',
      example: ['in_progress'],
    }),
    IsOptional(),
    Transform(({ value }) => [...new Set([value].flat())]),
    ArrayMaxSize(MAX_STATUSES, { message: `must be at most ${MAX_STATUSES} different ones` }),
    IsString({ each: true, message: 'must be text' }),
  );
}

/** Query of the thread list. */
export class ListThreadsQueryDto extends PageQueryDto {
  @StatusParameter()
  status?: string[];

  @ApiPropertyOptional({ description: 'Only threads in which this agent took part.', example: 'support' })
  @IsOptional()
  @IsString(ONCE)
  agent_id?: string;

  @ApiPropertyOptional({ description: 'Only threads whose latest checkpoint names this model.', example: 'gpt-4o' })
  @IsOptional()
  @IsString(ONCE)
  model?: string;

  @ApiPropertyOptional({
    description:
      'Only threads with this text in their id, their model or the id of one of their agents. Ignores case, in every script.',
    example: 'refund',
  })
  @IsOptional()
  @IsString(ONCE)
  q?: string;

  @ApiPropertyOptional({ description: 'Another name for `q`; use only one of them.', example: 'refund' })
  @IsOptional()
  @IsString(ONCE)
  search?: string;

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

  /** @throws DomainError `invalid` */
  toQuery(): ThreadListQuery {
    return {
      filter: {
        ...threadMatchOf(this),
        sinceMs: this.since === undefined ? null : instantMs(this.since),
        untilMs: this.until === undefined ? null : instantMs(this.until),
      },
      order: { sort: this.sort, isAscending: this.order === 'asc' },
      limit: this.limit,
      cursor: this.cursor ?? null,
      hasTotal: this.count === 'true',
      hasHistory: this.include === 'history',
    };
  }
}

/**
 * The filters that look at the thread itself.
 * @throws DomainError `invalid` where `q` is given under both of its names
 */
export function threadMatchOf({
  status,
  agent_id,
  model,
  q,
  search,
}: Pick<ListThreadsQueryDto, 'status' | 'agent_id' | 'model' | 'q' | 'search'>): ThreadMatch {
  if (q && search) throw invalidField('search', 'is another name of q; give one of them');
  return { statuses: status ?? [], agentId: agent_id ?? null, model: model ?? null, search: q || search || null };
}
