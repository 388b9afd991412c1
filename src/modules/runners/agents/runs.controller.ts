import { Controller, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiProblems } from '../../../http/problem.dto.js';
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
      'For runs that have ended, or are idle, of an agent that is online. The server calls the agent with the last message of the run and `retry_of`; the agent continues the same run from its latest checkpoint. Of several requests at once the agent accepts one. If the run began with a message in a chat, its answer and questions go to that chat, whose next message waits for it; Where several agents have a run with the trace, 409 `several_runs` names them. If the run began with a message in a chat, 409 `chat_busy` while the agent is at work on another message of that chat. If the answer of the agent is lost (503), the server asks again for that chat, under the same key, for up to 15 minutes.',
  })
  @ApiAcceptedResponse({ type: InvokedRunDto, description: 'The agent has accepted the run.' })
  @ApiProblems(400, 404, 409, 413, 415, 429, 502, 503)
  async retry(
    @Param('thread_id') threadId: string,
    @Param('trace_id') traceId: string,
    @Query() query: RetryRunQueryDto,
  ): Promise<InvokedRunDto> {
    return InvokedRunDto.from(await this.retries.retry(threadId, traceId, query.agent_id ?? null));
  }
}
