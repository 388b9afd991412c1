import { ApiProperty } from '@nestjs/swagger';
import { isoTime } from '../../../../common/clock.js';
import type { Page } from '../../../../common/pagination.js';
import { PageDto } from '../../../../http/page-query.dto.js';
import type { AgentView } from '../agents.service.js';

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

  static from({ agentId, isOnline, lastSeenMs, endpoint }: AgentView): AgentResponseDto {
    return { agent_id: agentId, online: isOnline, last_seen: isoTime(lastSeenMs), endpoint };
  }
}

export class AgentListResponseDto extends PageDto {
  @ApiProperty({ type: () => [AgentResponseDto] })
  items: AgentResponseDto[];

  static fromPage({ items, next_cursor }: Page<AgentView>, total: number | undefined): AgentListResponseDto {
    return { items: items.map((item) => AgentResponseDto.from(item)), next_cursor, total };
  }
}
