import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString } from 'class-validator';
import { ONCE, RunPageQueryDto } from './run-page-query.dto.js';
import { HISTORY_MODES, type CheckpointsQuery, type HistoryMode } from './thread-checkpoints.query.js';

export class CheckpointsQueryDto extends RunPageQueryDto {
  @ApiPropertyOptional({
    enum: HISTORY_MODES,
    default: 'full',
    description: "`new`: only the messages added since the run's previous step; `none`: `history_length` instead.",
  })
  @IsOptional()
  @IsIn(HISTORY_MODES, { message: `must be one of ${HISTORY_MODES.join(', ')}` })
  history: HistoryMode = 'full';

  @ApiPropertyOptional({ description: 'Only checkpoints of this agent.', example: 'support' })
  @IsOptional()
  @IsString(ONCE)
  agent_id?: string;

  toQuery(threadId: string): CheckpointsQuery {
    return {
      threadId,
      history: this.history,
      traceId: this.trace_id ?? null,
      agentId: this.agent_id ?? null,
      limit: this.limit ?? null,
      cursor: this.cursor ?? null,
    };
  }
}
