import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { isoTime } from '../../../../common/clock.js';
import { MAX_FIRINGS, TRIGGER_TYPES, type AgentTrigger } from '../../../../common/contract/agent-trigger.js';
import type { Page } from '../../../../common/pagination.js';
import { PageDto } from '../../../../http/page-query.dto.js';
import type { AgentView } from '../agents.service.js';

export class AgentTriggerDto {
  @ApiProperty({ description: "Position in the agent's definition.", example: 'triggers[1]' })
  id: string;

  @ApiProperty({ enum: TRIGGER_TYPES })
  type: AgentTrigger['type'];

  @ApiPropertyOptional({ description: 'Path of a webhook.', example: '/run' })
  endpoint?: string;

  @ApiPropertyOptional({ description: 'The schedule: a cron expression with five fields.', example: '0 9 * * MON-FRI' })
  cron?: string;

  @ApiPropertyOptional({ description: 'Time zone of a schedule.', example: 'Europe/Berlin' })
  timezone?: string;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', format: 'date-time' },
    maxItems: MAX_FIRINGS,
    description: "The schedule's next firings, as its process computes them.",
    example: ['2026-11-20T08:00:00.000Z'],
  })
  next?: string[];
}

export class QueuedRunDto {
  @ApiProperty({ example: 'thread-1' })
  thread_id: string;

  @ApiProperty({ example: 'trace-1' })
  trace_id: string;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'When the agent accepted it.',
    example: '2026-11-20T09:30:00.000Z',
  })
  queued_at: string;
}

export class AgentResponseDto {
  @ApiProperty({ example: 'support' })
  agent_id: string;

  @ApiProperty({ description: 'Whether a heartbeat came within the last 45 seconds.', example: true })
  online: boolean;

  @ApiProperty({ type: 'string', format: 'date-time', example: '2026-11-20T09:30:00.000Z' })
  last_seen: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Base address for starting the agent; null if this server cannot start it.',
    example: 'http://127.0.0.1:9100',
  })
  endpoint: string | null;

  @ApiProperty({
    type: () => [AgentTriggerDto],
    description: 'What starts the agent, from its last heartbeat; empty if it said nothing.',
  })
  triggers: AgentTriggerDto[];

  @ApiProperty({
    type: () => [QueuedRunDto],
    description:
      'Runs that the agent has accepted but not started, from its last heartbeat, oldest first. They can be cancelled like others.',
  })
  queued_runs: QueuedRunDto[];

  static from({ agentId, isOnline, lastSeenMs, endpoint, triggers, queuedRuns }: AgentView): AgentResponseDto {
    const queued_runs = queuedRuns.map(({ threadId, traceId, queuedAtMs }) => ({
      thread_id: threadId,
      trace_id: traceId,
      queued_at: isoTime(queuedAtMs),
    }));
    return { agent_id: agentId, online: isOnline, last_seen: isoTime(lastSeenMs), endpoint, triggers, queued_runs };
  }
}

export class AgentListResponseDto extends PageDto {
  @ApiProperty({ type: () => [AgentResponseDto] })
  items: AgentResponseDto[];

  static fromPage({ items, next_cursor }: Page<AgentView>, total: number | undefined): AgentListResponseDto {
    return { items: items.map((item) => AgentResponseDto.from(item)), next_cursor, total };
  }
}
