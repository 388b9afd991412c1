import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ThreadCheckpointSummaryDto } from '../../threads/checkpoints/thread-checkpoint.dto.js';

/** A checkpoint with the whole conversation. Only for the documentation: the server sends the stored texts unchanged. */
export class CheckpointDto extends ThreadCheckpointSummaryDto {
  @ApiProperty({ type: 'array', items: {}, description: 'The conversation, each message exactly as reported.' })
  history: unknown[];

  @ApiProperty({ type: 'array', items: {}, description: 'Times and tokens, parallel to `history`.' })
  history_meta: unknown[];

  @ApiPropertyOptional({ type: 'integer', minimum: 0, description: 'With `history=none` only.', example: 12 })
  history_length?: number;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'With `history=none` only: id of the event that reported it, if it had one.',
    example: 'e-17',
  })
  event_id?: string | null;
}
