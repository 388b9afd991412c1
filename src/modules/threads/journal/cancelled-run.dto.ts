import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { isoTime } from '../../../common/clock.js';
import { RUN_STATUS } from '../../../common/contract/run-status.js';
import type { CancelledRunView } from './run-cancellation.service.js';

const MAX_REASON = 4000;
/** What both databases store: no U+0000, and no halves of surrogate pairs. */
const STORABLE = /^[^\0\p{Cs}]*$/u;

/** Why somebody cancels a run. */
export class CancelRunDto {
  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    maxLength: MAX_REASON,
    description: 'Shown with the run and in its logs, and sent to its program.',
    example: 'It asks the wrong customer',
  })
  @IsOptional()
  @Matches(STORABLE, { message: 'must not contain U+0000 or halves of surrogate pairs' })
  @MaxLength(MAX_REASON, { message: `must have at most ${MAX_REASON} characters` })
  @IsString({ message: 'must be a string' })
  reason?: string | null;

  /** Null for none: spaces say nothing. */
  toReason(): string | null {
    const reason = this.reason?.trim() ?? '';
    return reason === '' ? null : reason;
  }
}

/** A run that was cancelled. */
export class CancelledRunDto {
  @ApiProperty({ example: 'thread-1' })
  thread_id: string;

  @ApiProperty({ example: 'trace-1' })
  trace_id: string;

  @ApiProperty({ example: 'support' })
  agent_id: string;

  @ApiProperty({ enum: [RUN_STATUS.cancelled], example: RUN_STATUS.cancelled })
  status: typeof RUN_STATUS.cancelled;

  @ApiProperty({ type: 'string', format: 'date-time', example: '2026-11-20T09:30:01.250Z' })
  cancelled_at: string;

  static from({ threadId, traceId, agentId, cancelledAtMs }: CancelledRunView): CancelledRunDto {
    const cancelled_at = isoTime(cancelledAtMs);
    return { thread_id: threadId, trace_id: traceId, agent_id: agentId, status: RUN_STATUS.cancelled, cancelled_at };
  }
}
