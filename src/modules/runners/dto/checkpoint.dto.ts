import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { EffectDto } from '../../effects/dto/effect.dto.js';
import { REPAIR_KINDS, type Repair, type RepairKind } from '../resume/repair.js';
import { ThreadCheckpointSummaryDto } from '../../threads/checkpoints/thread-checkpoint.dto.js';

/** One change between `history` and `history_for_model`. */
export class RepairDto implements Repair {
  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Index of the changed message in `history`; its length for appended messages.',
    example: 4,
  })
  index: number;

  @ApiProperty({
    enum: REPAIR_KINDS,
    description:
      '`not_understood` is always the only entry: from message `index` on, the history has no known format. `history_for_model` is then `history` unchanged, possibly with calls that have no result. More kinds may be added.',
  })
  kind: RepairKind;

  @ApiProperty({ type: String, nullable: true, example: 'call_1' })
  call_id: string | null;

  @ApiProperty({ description: 'For people.', example: 'The call is recorded as completed.' })
  detail: string;
}

export class WaitingRunDto {
  @ApiProperty({ example: 'trace-2' })
  trace_id: string;

  @ApiProperty({ example: 'support:refunds' })
  agent_id: string;

  @ApiProperty({ type: 'integer', minimum: 0, example: 1 })
  step_index: number;
}

/** A checkpoint with the whole conversation. Documentation only: the server sends the stored texts unchanged. */
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

  @ApiPropertyOptional({
    type: 'integer',
    format: 'int64',
    description: 'With `history=none` only: number of the last change of the thread that changed it.',
    example: 42,
  })
  rev?: number;

  @ApiPropertyOptional({
    type: () => [EffectDto],
    description:
      "With `resume=safe` only: unsettled effects of the checkpoint's agent in the thread, and settled ones whose call has no result in `history`. Only the newest if there are too many.",
  })
  effects?: EffectDto[];

  @ApiPropertyOptional({
    type: 'array',
    items: {},
    description:
      'With `resume=safe` only: a copy of `history` that a provider accepts. Every tool call has one result. Messages that need no repair keep their exact text. A history without one known format is returned unchanged, and `repairs` says `not_understood`.',
  })
  history_for_model?: unknown[];

  @ApiPropertyOptional({
    type: () => [RepairDto],
    description: 'With `resume=safe` only: how `history_for_model` differs from `history`.',
  })
  repairs?: RepairDto[];

  @ApiPropertyOptional({
    type: () => [WaitingRunDto],
    description: 'With `resume=safe` only: runs of the thread that wait for a person.',
  })
  waiting?: WaitingRunDto[];
}
