import { Controller, Get, Headers, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOkResponse, ApiOperation, ApiResponse as ResponseDoc, ApiTags } from '@nestjs/swagger';
import { FEATURES_HEADER, SharedFeatures } from '../../common/shared-features.js';
import { BoundReadersSee, Caller, Quiet, Scopes } from '../../http/access.decorators.js';
import type { ApiRequest, ApiResponse } from '../../http/api-request.js';
import type { Principal } from '../../common/principal.js';
import { RawBody, RawBytes } from '../../http/body.decorators.js';
import { whileHeld } from '../../http/body/body-reader.js';
import { ApiProblemOf, ApiProblems } from '../../http/problem.dto.js';
import { longPoll } from '../../http/long-poll.js';
import { CheckpointDto } from './dto/checkpoint.dto.js';
import { EventBatchDto } from './dto/event-batch.dto.js';
import { IngestionResponseDto, RefusedBatchDto } from './dto/ingestion-response.dto.js';
import { LatestQueryDto } from './dto/latest-query.dto.js';
import { RunnersIngestionService } from './ingestion/runners-ingestion.service.js';
import { sendIngestion, sendLatest } from './runners.responses.js';
import { RunnersLatestService } from './runners-latest.service.js';

const FEATURES = {
  [FEATURES_HEADER]: {
    description:
      'Features of every server on this database. `history_base`: events may carry `data.history_base`. `questions`: calls may ask people questions. Absent if there are none.',
    schema: { type: 'string', example: 'history_base, questions' },
  },
} as const;

@ApiTags('runners')
@Controller()
export class RunnersController {
  constructor(
    private readonly ingestion: RunnersIngestionService,
    private readonly latestCheckpoints: RunnersLatestService,
    private readonly features: SharedFeatures,
  ) {}

  @Post(['internal/v1/runners/events', 'v1/runners/events'])
  @HttpCode(200)
  @Scopes('runner')
  @Quiet()
  @RawBody({ limitBytes: ({ maxBodyBytes }) => maxBodyBytes, contentType: 'json' })
  @ApiOperation({
    summary: 'Report runner events',
    description:
      'The server checks each event on its own, stores the valid ones and lists the others. Resending a batch changes nothing. Bodies may be compressed with gzip, deflate or br.',
  })
  @ApiBody({ type: EventBatchDto })
  @ApiOkResponse({ type: IngestionResponseDto, description: 'All events are stored durably.', headers: FEATURES })
  @ResponseDoc({
    status: 207,
    type: IngestionResponseDto,
    description: 'Some events were rejected.',
    headers: FEATURES,
  })
  @ApiProblemOf(400, RefusedBatchDto)
  @ApiProblems(413, 415, 503, 507)
  async report(
    @Req() request: ApiRequest,
    @RawBytes() body: Buffer,
    @Caller() caller: Principal,
    @Res() response: ApiResponse,
  ): Promise<void> {
    const result = await whileHeld(request, (release) => this.ingestion.ingest(body, caller, release));
    sendIngestion(response, result, this.features.header);
  }

  @Get('v1/runners/threads/:thread_id/latest')
  @Scopes('runner', 'reader')
  @BoundReadersSee('thread')
  @ApiOperation({
    summary: 'Get the latest checkpoint of a thread',
    description:
      'An agent resumes from it after a restart, and watches it while a person decides. Without a filter, the server starts at the run that last made progress and follows `parent_trace_id` to the topmost run. It stops at a sub-run that waits for a decision, or has not reported since the decision. A token bound to agents sees only their runs and the sub-runs below them.',
  })
  @ApiHeader({ name: 'If-None-Match', required: false, description: 'The ETag of the last response.' })
  @ApiOkResponse({ type: CheckpointDto, description: 'The latest checkpoint, with its ETag.' })
  @ResponseDoc({ status: 304, description: 'The ETag still matches If-None-Match.' })
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
