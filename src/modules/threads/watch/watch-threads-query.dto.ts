import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { invalidField } from '../../../common/domain-error.js';
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
   * Where the stream continues; null to begin now.
   * @param header `Last-Event-ID` as it was sent; browsers send it when they reconnect
   * @throws DomainError `invalid` when it is not the id of an event
   */
  toPosition(header: string | undefined): Position | null {
    const [name, text] = header ? ['Last-Event-ID', header] : ['last_event_id', this.last_event_id];
    if (!text) return null;
    const position = parsePosition(text);
    if (!position) throw invalidField(name, 'must be the id of an event of this stream');
    return position;
  }
}
