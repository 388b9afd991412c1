import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PageQueryDto } from '../../../http/page-query.dto.js';
import { ApiProblems } from '../../../http/problem.dto.js';
import { AgentsService } from './agents.service.js';
import { AgentListResponseDto } from './dto/agent-response.dto.js';

@ApiTags('agents')
@Controller('v1/agents')
export class AgentsController {
  constructor(private readonly agents: AgentsService) {}

  @Get()
  @ApiOperation({
    summary: 'List agents',
    description: 'Only with scope `admin`. Every agent that has ever sent a heartbeat, by id.',
  })
  @ApiOkResponse({ type: AgentListResponseDto, description: 'One page of agents.' })
  @ApiProblems(400)
  async list(@Query() { limit, cursor, count }: PageQueryDto): Promise<AgentListResponseDto> {
    return AgentListResponseDto.fromPage(
      await this.agents.list(limit, cursor ?? null),
      count === 'true' ? await this.agents.count() : undefined,
    );
  }
}
