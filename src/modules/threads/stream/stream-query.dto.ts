import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { parseEventId, type EventId } from './event-id.js';

export class StreamQueryDto {
  @ApiPropertyOptional({
    description: 'Like the header `Last-Event-ID`, for clients that cannot set it; the header takes precedence.',
    example: '17.1',
  })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  last_event_id?: string;

  /**
   * The event after which the stream continues; null to begin with the latest checkpoint, also for an invalid id: after an error, a browser
   * gives up forever.
   * @param header the `Last-Event-ID`, which browsers send when they reconnect
   */
  toPosition(header: string | undefined): EventId | null {
    const text = header || this.last_event_id;
    return text ? parseEventId(text) : null;
  }
}
