import { Controller, Get, Headers, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOkResponse, ApiOperation, ApiResponse as ApiAnswer, ApiTags } from '@nestjs/swagger';
import { Quiet, Scopes } from '../../http/access.decorators.js';
import type { ApiRequest, ApiResponse } from '../../http/api-request.js';
import type { Principal } from '../../common/principal.js';
import { RawBody, RawBytes } from '../../http/body/raw-body.decorators.js';
import { whileHeld } from '../../http/body/while-held.js';
import { Caller } from '../../http/caller.decorator.js';
import { ApiProblemOf, ApiProblems } from '../../http/problem.dto.js';
import { longPoll } from '../../http/long-poll.js';
import { CheckpointDto } from './dto/checkpoint.dto.js';
import { EventBatchDto } from './dto/event-batch.dto.js';
import { IngestionResponseDto, RefusedBatchDto } from './dto/ingestion-response.dto.js';
import { LatestQueryDto } from './dto/latest-query.dto.js';
import { RunnersIngestionService } from './ingestion/runners-ingestion.service.js';
import { sendIngestion, sendLatest } from './runners.answers.js';
import { RunnersLatestService } from './runners-latest.service.js';

@ApiTags('runners')
@Controller()
export class RunnersController {
  constructor(
    private readonly ingestion: RunnersIngestionService,
    private readonly latestCheckpoints: RunnersLatestService,
  ) {}

  @Post(['internal/v1/runners/events', 'v1/runners/events'])
  @HttpCode(200)
  @Scopes('runner')
  @Quiet()
  @RawBody({ limitBytes: ({ maxBodyBytes }) => maxBodyBytes, contentType: 'json' })
  @ApiOperation({
    summary: 'Report runner events',
    description:
      'Scope `runner`. Every event is checked on its own: the good ones are stored, the others listed. A batch sent twice changes nothing the second time. Bodies may be compressed with gzip, deflate or br.',
  })
  @ApiBody({ type: EventBatchDto })
  @ApiOkResponse({ type: IngestionResponseDto, description: 'All events are stored durably.' })
  @ApiAnswer({ status: 207, type: IngestionResponseDto, description: 'Some events were rejected.' })
  @ApiProblemOf(400, RefusedBatchDto)
  @ApiProblems(413, 415, 503, 507)
  async report(
    @Req() request: ApiRequest,
    @RawBytes() body: Buffer,
    @Caller() { agentIds }: Principal,
    @Res() response: ApiResponse,
  ): Promise<void> {
    sendIngestion(response, await whileHeld(request, (release) => this.ingestion.ingest(body, agentIds, release)));
  }

  @Get('v1/runners/threads/:thread_id/latest')
  @Scopes('runner')
  @Quiet()
  @ApiOperation({
    summary: 'Latest checkpoint of a thread',
    description:
      'Scope `runner`. What an agent resumes from after a restart, and what it watches while a person decides. Without a filter it is that of the run at the top, upwards from the run that last made progress along `parent_trace_id`; a sub-run that waits, or was decided and has not reported since, is shown itself. A token that is bound to agents sees the runs of these and the sub-runs below them, as if there were no others in the thread.',
  })
  @ApiHeader({ name: 'If-None-Match', required: false, description: 'The ETag of the answer that the caller holds.' })
  @ApiOkResponse({ type: CheckpointDto, description: 'The latest checkpoint, with its ETag.' })
  @ApiAnswer({ status: 304, description: 'It is still the one that If-None-Match names.' })
  @ApiProblems(400, 404)
  async latest(
    @Param('thread_id') threadId: string,
    @Query() query: LatestQueryDto,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Caller() caller: Principal,
    @Res() response: ApiResponse,
  ): Promise<void> {
    await sendLatest(
      response,
      await this.latestCheckpoints.latest(query.toQuery(threadId, caller.agentIds, ifNoneMatch), longPoll(response)),
    );
  }
}
