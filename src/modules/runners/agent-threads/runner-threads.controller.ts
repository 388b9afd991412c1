import { Controller, Delete, Get, HttpCode, Param, Query, Res } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Principal } from '../../../common/principal.js';
import { Caller, Scopes } from '../../../http/access.decorators.js';
import type { ApiResponse } from '../../../http/api-request.js';
import { ApiProblems } from '../../../http/problem.dto.js';
import { streamJson } from '../../../http/send-json.js';
import { AgentThreadsService } from '../../threads/agent-threads/agent-threads.service.js';
import { OwnRunListDto, OwnThreadListDto } from './dto/own-thread.dto.js';
import { OwnRunsQueryDto, OwnThreadsQueryDto } from './dto/own-threads-query.dto.js';

/** Whole threads, for agents and their adapters without an admin's token. */
@ApiTags('runners')
@Controller('v1/runners/threads')
export class RunnerThreadsController {
  constructor(private readonly threads: AgentThreadsService) {}

  @Get()
  @Scopes('runner')
  @ApiOperation({
    summary: "List an agent's threads",
    description:
      'In the order of their ids. A token bound to agents gets only threads in which no other agent took part.',
  })
  @ApiOkResponse({ type: OwnThreadListDto, description: 'One page of threads.' })
  @ApiProblems(400)
  async list(@Query() query: OwnThreadsQueryDto, @Caller() caller: Principal): Promise<OwnThreadListDto> {
    return OwnThreadListDto.from(await this.threads.list(query.prefix, caller, query.toOrder()));
  }

  @Get(':thread_id/runs')
  @Scopes('runner')
  @ApiParam({ name: 'thread_id', example: 'thread-1' })
  @ApiOperation({
    summary: "List a thread's runs",
    description: 'A token bound to agents sees only their runs and the sub-runs below them.',
  })
  @ApiOkResponse({ type: OwnRunListDto, description: 'One page of runs.' })
  @ApiProblems(400, 404)
  async runs(
    @Param('thread_id') threadId: string,
    @Query() query: OwnRunsQueryDto,
    @Caller() caller: Principal,
    @Res() response: ApiResponse,
  ): Promise<void> {
    await streamJson(response, this.threads.runs(threadId, caller, query.toOrder()));
  }

  @Delete(':thread_id')
  @HttpCode(204)
  @Scopes('runner')
  @ApiParam({ name: 'thread_id', example: 'thread-1' })
  @ApiOperation({
    summary: "Delete an agent's thread",
    description:
      'Deletes everything in it: runs, checkpoints, messages, approvals, effects. For a token bound to agents, a thread in which others took part does not exist. A token bound to a run cannot delete threads. 409 `lease_held` while a process holds the lease of a run in it.',
  })
  @ApiNoContentResponse({ description: 'The thread is deleted.' })
  @ApiProblems(403, 404, 409, 503)
  async delete(@Param('thread_id') threadId: string, @Caller() caller: Principal): Promise<void> {
    await this.threads.delete(threadId, caller);
  }
}
