import { Body, Controller, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBody, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Principal } from '../../../common/principal.js';
import { Caller } from '../../../http/access.decorators.js';
import { ApiProblems } from '../../../http/problem.dto.js';
import { RunOrderDto } from '../../threads/journal/run-order.dto.js';
import { InvokedRunDto } from './dto/invoke-agent.dto.js';
import { RetryRunQueryDto } from './dto/retry-run-query.dto.js';
import { RunRetriesService } from './run-retries.service.js';

@ApiTags('threads')
@Controller('threads/:thread_id/runs/:trace_id')
export class RunsController {
  constructor(private readonly retries: RunRetriesService) {}

  @Post('retry')
  @HttpCode(202)
  @ApiParam({ name: 'thread_id', example: 'thread-1' })
  @ApiParam({ name: 'trace_id', example: 'trace-1' })
  @ApiOperation({
    summary: 'Retry a run',
    description:
      "For ended or idle runs of an agent that is online. The server calls the agent with the run's last message and `retry_of`; the agent continues the same run from its latest checkpoint. From then on the run is in progress, and the thread keeps who retried it, when and why. The agent accepts one of several simultaneous requests. 409 `several_runs` if several agents have a run with this trace; it names them. If the run began with a chat message, its reply and questions go to that chat, and the chat's next message waits for it; 409 `chat_busy` while the agent works on another message of the chat. If the agent's response is lost (503), the server asks again for the chat, under the same key, for up to 15 minutes.",
  })
  @ApiBody({ type: RunOrderDto, required: false })
  @ApiAcceptedResponse({ type: InvokedRunDto, description: 'The agent has accepted the run.' })
  @ApiProblems(400, 404, 409, 413, 415, 429, 502, 503)
  async retry(
    @Param('thread_id') threadId: string,
    @Param('trace_id') traceId: string,
    @Query() query: RetryRunQueryDto,
    @Body() body: RunOrderDto,
    @Caller() caller: Principal,
  ): Promise<InvokedRunDto> {
    const retried = await this.retries.retry(
      { threadId, traceId, agentId: query.agent_id ?? null },
      body.toOrder(caller),
    );
    return InvokedRunDto.from(retried);
  }
}
