import { ApiProperty } from '@nestjs/swagger';
import { isoTime } from '../../../../common/clock.js';
import type { Page } from '../../../../common/pagination.js';
import { UncountedPageDto } from '../../../../http/page-query.dto.js';
import { ThreadRunDto } from '../../../threads/detail/thread-detail.dto.js';
import { TIME } from '../../../threads/list/thread-list.dto.js';
import type { ListedAgentThread } from '../../../threads/agent-threads/agent-threads.service.js';

/** A thread as an agent's token lists it. */
export class OwnThreadDto {
  @ApiProperty({ example: 'thread-1' })
  thread_id: string;

  @ApiProperty({ description: 'Of its latest checkpoint.', example: 'completed' })
  status: string;

  @ApiProperty({ type: [String], description: 'All agents that took part.', example: ['support'] })
  agents: string[];

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Number of runs.', example: 2 })
  runs: number;

  @ApiProperty(TIME)
  started_at: string;

  @ApiProperty(TIME)
  updated_at: string;

  static from({ id, status, agents, run_count, started_at, updated_at }: ListedAgentThread): OwnThreadDto {
    return {
      thread_id: id,
      status,
      agents: JSON.parse(agents) as string[],
      runs: run_count,
      started_at: isoTime(started_at),
      updated_at: isoTime(updated_at),
    };
  }
}

export class OwnThreadListDto extends UncountedPageDto {
  @ApiProperty({ type: () => [OwnThreadDto], description: "In the order of the ids' code points." })
  items: OwnThreadDto[];

  static from({ items, next_cursor }: Page<ListedAgentThread>): OwnThreadListDto {
    return { items: items.map((item) => OwnThreadDto.from(item)), next_cursor };
  }
}

export class OwnRunListDto extends UncountedPageDto {
  @ApiProperty({ type: () => [ThreadRunDto], description: 'In the order of their first reports.' })
  items: ThreadRunDto[];
}
