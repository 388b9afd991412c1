import { Controller, Get, Headers, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBody, ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RawBody, RawBytes } from '../../../http/body.decorators.js';
import { readIdempotencyKey } from '../../../common/contract/start-body.js';
import type { Principal } from '../../../common/principal.js';
import { BoundReadersSee, Caller, Scopes } from '../../../http/access.decorators.js';
import { PageQueryDto } from '../../../http/page-query.dto.js';
import { ApiProblems } from '../../../http/problem.dto.js';
import { AgentStartsService } from './agent-starts.service.js';
import { AgentsService } from './agents.service.js';
import { AgentListResponseDto } from './dto/agent-response.dto.js';
import { InvokeAgentDto, InvokedRunDto } from './dto/invoke-agent.dto.js';
import { readInvokeBody } from './invoke-body.js';

/** The agent process has the same limit. */
const INVOKE_LIMIT_BYTES = 1024 * 1024;

@ApiTags('agents')
@Controller('v1/agents')
export class AgentsController {
  constructor(
    private readonly agents: AgentsService,
    private readonly starts: AgentStartsService,
  ) {}

  @Get()
  @Scopes('reader')
  @BoundReadersSee('own')
  @ApiOperation({
    summary: 'List agents',
    description: 'Every agent that has ever sent a heartbeat, by id.',
  })
  @ApiOkResponse({ type: AgentListResponseDto, description: 'One page of agents.' })
  @ApiProblems(400)
  async list(
    @Query() { limit, cursor, count }: PageQueryDto,
    @Caller() { agentIds }: Principal,
  ): Promise<AgentListResponseDto> {
    return AgentListResponseDto.fromPage(
      await this.agents.list(limit, cursor ?? null, agentIds),
      count === 'true' ? await this.agents.count(agentIds) : undefined,
    );
  }

  @Post(':agent_id/invoke')
  @HttpCode(202)
  @RawBody({ limitBytes: INVOKE_LIMIT_BYTES, contentType: 'json' })
  @ApiOperation({
    summary: 'Start a run of an agent',
    description:
      'The server calls the agent at the endpoint of its heartbeats, and responds once the agent has accepted the run. After a 502 or 503 the run may have started: repeat the request with the same `Idempotency-Key` to get it.',
  })
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      '1 to 255 printable ASCII characters. For 7 days, the same key gets the same run of the agent; with another body it is refused (422, `idempotency_key_reused`).',
  })
  @ApiBody({ type: InvokeAgentDto })
  @ApiAcceptedResponse({ type: InvokedRunDto, description: 'The agent has accepted the run.' })
  @ApiProblems(400, 404, 409, 413, 415, 422, 429, 502, 503)
  async invoke(
    @Param('agent_id') agentId: string,
    @Headers('idempotency-key') key: string | undefined,
    @RawBytes() body: Buffer,
  ): Promise<InvokedRunDto> {
    return InvokedRunDto.from(await this.starts.start(agentId, readInvokeBody(body), readIdempotencyKey(key)));
  }
}
