import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { EmptyCounts } from '../../../http/empty-query.js';
import { UncountedPageQueryDto } from '../../../http/page-query.dto.js';
import type { StateAddress } from '../state-identity.js';
import type { StatesQuery } from '../state-query.service.js';

const ONCE = { message: 'must be given once' };

export class StateAddressQueryDto {
  @ApiPropertyOptional({ description: 'The namespace; empty for the graph itself.', default: '', example: 'child:1f' })
  @IsOptional()
  @IsString(ONCE)
  ns: string = '';

  @ApiPropertyOptional({
    description: 'The agent; each has its own states in a thread. A token bound to one agent need not name it.',
    example: 'support',
  })
  @EmptyCounts()
  @IsOptional()
  @IsString(ONCE)
  agent_id?: string;

  toAddress<Id extends string | null>(threadId: string, checkpointId: Id): StateAddress & { checkpointId: Id } {
    return { threadId, checkpointId, ns: this.ns, agentId: this.agent_id ?? null };
  }
}

/** Query that says whose states are deleted. */
export class StateClearQueryDto {
  @ApiPropertyOptional({ description: 'Only states of this agent.', example: 'support' })
  @EmptyCounts()
  @IsOptional()
  @IsString(ONCE)
  agent_id?: string;
}

export class StatesQueryDto extends UncountedPageQueryDto {
  @ApiPropertyOptional({ description: 'Only checkpoints of this thread.', example: 'thread-1' })
  @IsOptional()
  @IsString(ONCE)
  thread_id?: string;

  @ApiPropertyOptional({
    description: 'Only checkpoints of threads whose id begins with this text.',
    example: 'team-a:',
  })
  @IsOptional()
  @IsString(ONCE)
  thread_prefix?: string;

  @ApiPropertyOptional({ description: 'Only checkpoints of this namespace; empty for the graph itself.', example: '' })
  @EmptyCounts()
  @IsOptional()
  @IsString(ONCE)
  ns?: string;

  @ApiPropertyOptional({ description: 'Only states of this agent.', example: 'support' })
  @IsOptional()
  @IsString(ONCE)
  agent_id?: string;

  @ApiPropertyOptional({
    description: 'Only checkpoints whose id sorts before this one, byte by byte.',
    example: '1ef4f797-8335-6428-8001-8a1503f9b875',
  })
  @IsOptional()
  @IsString(ONCE)
  before?: string;

  @ApiPropertyOptional({
    description:
      'A JSON object with at most 32 members: only checkpoints whose metadata has them with the same values.',
    example: '{"source":"loop"}',
  })
  @IsOptional()
  @IsString(ONCE)
  filter?: string;

  toQuery(): StatesQuery {
    return {
      threadId: this.thread_id ?? null,
      threadPrefix: this.thread_prefix ?? null,
      ns: this.ns ?? null,
      agentId: this.agent_id ?? null,
      before: this.before ?? null,
      filter: this.filter ?? null,
      limit: this.limit,
      cursor: this.cursor ?? null,
    };
  }
}
