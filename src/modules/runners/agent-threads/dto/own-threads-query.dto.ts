import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { UncountedPageQueryDto } from '../../../../http/page-query.dto.js';
import type { PageOrder } from '../../../threads/agent-threads/agent-threads.service.js';

export class OwnRunsQueryDto extends UncountedPageQueryDto {
  toOrder(): PageOrder {
    return { limit: this.limit, cursor: this.cursor ?? null };
  }
}

export class OwnThreadsQueryDto extends OwnRunsQueryDto {
  @ApiPropertyOptional({
    default: '',
    description: 'Only threads whose id begins with this text. There are no wildcards.',
    example: 'langgraph:',
  })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  prefix: string = '';
}
