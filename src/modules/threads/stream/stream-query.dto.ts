import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { invalidField } from '../../../common/domain-error.js';
import { parseEventId, type EventId } from './event-id.js';

/** Query of the live stream. */
export class StreamQueryDto {
  @ApiPropertyOptional({
    description: 'Like the header `Last-Event-ID`, for clients that cannot set it; the header takes precedence.',
    example: '17.1',
  })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  last_event_id?: string;

  /**
   * The event after which the stream continues; null to begin with the latest checkpoint.
   * @param header `Last-Event-ID` as it was sent; browsers send it when they reconnect
   * @throws DomainError `invalid` when it is not the id of an event
   */
  toPosition(header: string | undefined): EventId | null {
    const [name, text] = header ? ['Last-Event-ID', header] : ['last_event_id', this.last_event_id];
    if (!text) return null;
    const id = parseEventId(text);
    if (!id) throw invalidField(name, 'must be the id of an event of this stream');
    return id;
  }
}
