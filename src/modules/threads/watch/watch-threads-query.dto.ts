import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { invalidField } from '../../../common/domain-error.js';
import { StatusParameter, threadMatchOf } from '../list/list-threads-query.dto.js';
import type { ThreadMatch } from '../list/thread-list.query.js';
import { parsePosition, type Position } from './watermark.js';

const ONCE = { message: 'must be given once' };

/**
 * Query of the stream of all threads: the list's filters that look at the thread itself. Written out, because PickType loads
 * class-validator from its own files at run time, which the program does not bring.
 */
export class WatchThreadsQueryDto {
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

  @StatusParameter()
  status?: string[];

  @ApiPropertyOptional({
    description: 'Like the header `Last-Event-ID`, for clients that cannot set it; the header takes precedence.',
  })
  @IsOptional()
  @IsString(ONCE)
  last_event_id?: string;

  /** @throws DomainError `invalid` */
  toMatch(): ThreadMatch {
    return threadMatchOf(this);
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
