import { ApiProperty } from '@nestjs/swagger';
import { isoTime } from '../../../common/clock.js';
import { RUN_STATUS } from '../../../common/contract/run-status.js';
import type { CancelledRunView } from './run-cancellation.service.js';

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
