import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { Principal } from '../../../common/principal.js';
import { Caller, Quiet, Scopes } from '../../../http/access.decorators.js';
import type { ApiResponse } from '../../../http/api-request.js';
import { ApiProblemOf, ApiProblems } from '../../../http/problem.dto.js';
import { RunLeasesService } from '../../threads/journal/run-leases.service.js';
import { ClaimLeaseDto } from './dto/claim-lease.dto.js';
import { LeaseQueryDto, ReleaseLeaseQueryDto } from './dto/lease-query.dto.js';
import { GrantedLeaseDto, LeaseConflictDto, LeaseDto } from './dto/lease.dto.js';
import { sendLease } from './leases.responses.js';

@ApiTags('runners')
@ApiParam({ name: 'thread_id', example: 'thread-1' })
@ApiParam({ name: 'trace_id', example: 'trace-1' })
@Controller('v1/runners/threads/:thread_id/runs/:trace_id/lease')
export class LeasesController {
  constructor(private readonly leases: RunLeasesService) {}

  @Post()
  @Scopes('runner')
  @Quiet()
  @ApiOperation({
    summary: 'Claim the lease of a run',
    description:
      'Exactly one of several processes gets the lease; it puts the `fence` into its events. While the lease is held, and after it expires, the server rejects events of everybody else with `stale_fence`. The thread and the run need not exist. The same `holder` renews its lease by claiming it again. A sub-run is covered by the lease of its nearest leased run at or above it.',
  })
  @ApiCreatedResponse({ type: GrantedLeaseDto, description: 'The caller has the lease, with a new fence.' })
  @ApiOkResponse({ type: GrantedLeaseDto, description: 'The caller already held the lease; it is renewed.' })
  @ApiProblemOf(409, LeaseConflictDto)
  @ApiProblems(400, 413, 415, 503, 507)
  async claim(
    @Param('thread_id') threadId: string,
    @Param('trace_id') traceId: string,
    @Body() body: ClaimLeaseDto,
    @Caller() caller: Principal,
    @Res({ passthrough: true }) response: ApiResponse,
  ): Promise<GrantedLeaseDto> {
    return sendLease(
      response,
      await this.leases.claim(body.toAddress(threadId, traceId, caller), body.toClaim(caller)),
    );
  }

  @Get()
  @Scopes('runner')
  @ApiOperation({ summary: 'Get the lease of a run', description: 'Without the fence.' })
  @ApiOkResponse({ type: LeaseDto, description: 'The lease, live or expired.' })
  @ApiProblems(400, 404)
  async get(
    @Param('thread_id') threadId: string,
    @Param('trace_id') traceId: string,
    @Query() query: LeaseQueryDto,
    @Caller() { agentIds: allowedAgents, run: ownRun }: Principal,
  ): Promise<LeaseDto> {
    return LeaseDto.from(
      await this.leases.get({ threadId, traceId, agentId: query.agent_id ?? null, allowedAgents, ownRun }),
    );
  }

  @Delete()
  @HttpCode(204)
  @Scopes('runner')
  @ApiOperation({
    summary: 'Release the lease of a run',
    description: 'Events without a fence are accepted again. Repeating the request gets the same response.',
  })
  @ApiNoContentResponse({ description: 'The lease is released.' })
  @ApiProblems(400, 404, 409, 503, 507)
  async release(
    @Param('thread_id') threadId: string,
    @Param('trace_id') traceId: string,
    @Query() query: ReleaseLeaseQueryDto,
    @Caller() { agentIds: allowedAgents, run: ownRun }: Principal,
  ): Promise<void> {
    await this.leases.release({ threadId, traceId, agentId: null, allowedAgents, ownRun }, query.toFence());
  }
}
