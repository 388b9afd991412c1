import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import type { ThreadMatch } from '../list/thread-list.query.js';
import { StatusFilter, TextFilter, threadMatchOf } from '../list/thread-match.parameters.js';
import { parsePosition, type Position } from './watermark.js';

/**
 * Query of the stream of all threads: the list's filters that look at the thread itself. Not made by PickType, which loads
 * class-validator from its own files at run time: the program does not bring these.
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
   * Where the stream continues; null to begin now. What is no id of this stream, such as that of an event of another one, knows nothing
   * yet: a browser that gets an error gives up forever.
   * @param header `Last-Event-ID` as it was sent; browsers send it when they reconnect
   */
  toPosition(header: string | undefined): Position | null {
    const text = header || this.last_event_id;
    return text ? (parsePosition(text) ?? { from: null, walk: null }) : null;
  }
}
