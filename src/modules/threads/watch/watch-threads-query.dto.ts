import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import type { ThreadMatch } from '../list/thread-list.query.js';
import { StatusFilter, TextFilter, threadMatchOf } from '../list/thread-match.parameters.js';
import { parsePosition, type Position } from './watermark.js';

/**
 * The list's filters on the thread itself. Not derived with `PickType`, which would load class-validator at run time from a package that
 * the program does not include.
 */
export class WatchThreadsQueryDto {
  @TextFilter('agent_id')
  agent_id?: string;

  @TextFilter('model')
  model?: string;

  @TextFilter('q')
  q?: string;

  @TextFilter('search')
  search?: string;

  @StatusFilter()
  status?: string[];

  @ApiPropertyOptional({
    description: 'Like the header `Last-Event-ID`, for clients that cannot set it; the header takes precedence.',
  })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  last_event_id?: string;

  /**
   * @param seenBy the agents that the caller's token is bound to; null for none
   * @throws DomainError `invalid`
   */
  toMatch(seenBy: readonly string[] | null): ThreadMatch {
    return threadMatchOf(this, seenBy);
  }

  /**
   * The position after which the stream continues; null for now. An invalid id, such as another stream's, starts from nothing known: after
   * an error, a browser gives up forever.
   * @param header the `Last-Event-ID`, which browsers send when they reconnect
   */
  toPosition(header: string | undefined): Position | null {
    const text = header || this.last_event_id;
    return text ? (parsePosition(text) ?? { from: null, walk: null }) : null;
  }
}
